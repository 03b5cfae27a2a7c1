/** Regions by their names in the terminal's `--region`: alone, or with those nested in them. */
import type { Axes } from "../contract.ts";
import type { Option } from "../ui/controls.ts";

type Regions = Axes["regions"];

/** The name for calls that are in no region, on the axis and in the terminal. */
const [OUTSIDE, OUTSIDE_OPTION] = ["outside of regions", "(outside)"];

/**
 * Return the mask of the regions that a text selects; null: it names an unknown one.
 *
 * A name or a path selects that region alone; with a slash at its end also those nested in it; commas separate several.
 */
export function regionsOf(text: string, regions: Regions): Uint8Array | null {
  const found = new Uint8Array(regions.name.length);
  // A name may contain a comma or a slash.
  for (const one of regions.name.includes(text) ? [text] : text.split(",")) {
    const wanted = one.trim() === OUTSIDE_OPTION ? OUTSIDE : one.trim();
    let chosen = called(wanted, regions);
    if (!chosen.length && wanted.endsWith("/")) {
      const heads = called(wanted.slice(0, -1), regions);
      chosen = regions.name.flatMap((_, region) => (isIn(region, heads, regions) ? [region] : []));
    }
    if (!chosen.length) return null;
    for (const region of chosen) found[region] = 1;
  }
  return found;
}

/** Each region, and if it has nested ones, it with those. */
export function regionOptions(regions: Regions): Option<string>[] {
  const { name, parent } = regions;
  const around = new Set(parent);
  return name.flatMap((path, region) => [
    { value: path, text: path },
    ...(around.has(region) && path !== OUTSIDE
      ? [{ value: `${path}/`, text: `${path}/ and nested regions` }]
      : []),
  ]);
}

/** The regions with this path or name. */
function called(wanted: string, { name, parent }: Regions): number[] {
  return name.flatMap((path, region) => {
    const head = parent[region] < 0 ? "" : `${name[parent[region]]}/`;
    const own = path.startsWith(head) ? path.slice(head.length) : path;
    return wanted === path || wanted === own ? [region] : [];
  });
}

function isIn(region: number, heads: readonly number[], { parent }: Regions): boolean {
  for (let at = region; at >= 0; at = parent[at]) if (heads.includes(at)) return true;
  return false;
}
