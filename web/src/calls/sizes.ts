/** A histogram of sizes: for each size, its share of the calls that have data, and of the bytes. */
import { scaleBand, scaleLinear } from "d3-scale";
import type { Context } from "../shell/context.ts";
import { shape } from "../ui/svg.ts";
import { percentText } from "../units.ts";

export interface SizeShares {
  name: string;
  calls: number;
  bytes: number;
}

const [LINE, TOP, BOTTOM, LABEL, GAP, ROOM] = [19, 22, 4, 92, 18, 52];
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const MOST = 0.9;

export function sizeBars(
  context: Context,
  rows: readonly SizeShares[],
  width: number,
  choose: (name: string) => void,
): SVGElement {
  const { theme, state } = context;
  const height = TOP + rows.length * LINE + BOTTOM;
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group" });
  svg.setAttribute("aria-label", "shares of calls and bytes by size");
  const y = scaleBand(
    rows.map(({ name }) => name),
    [TOP, height - BOTTOM],
  ).padding(0.22);
  const panel = (width - LABEL - GAP) / 2;
  const text = { "font-size": 11, fill: theme.faint, "dominant-baseline": "central" };
  const panels = [
    { of: "calls" as const, title: "calls", left: LABEL },
    { of: "bytes" as const, title: "bytes", left: LABEL + panel + GAP },
  ];
  const scales = panels.map(({ of, title, left }) => {
    svg.append(shape("text", { ...text, x: left, y: 8, "font-weight": 600, fill: theme.ink }, title));
    const most = Math.max(...rows.map((row) => row[of])) || 1;
    return scaleLinear([0, most], [0, Math.max(10, panel - ROOM)]);
  });
  const { sizeFrom, sizeTo } = state.filter;
  const masks = context.selection.sizes;
  for (const row of rows) {
    const top = y(row.name) ?? 0;
    const middle = top + y.bandwidth() / 2;
    const is = (sizeFrom || sizeTo) && masks[context.run.axes.sizes.indexOf(row.name)];
    const line = shape("g", { class: "line", tabindex: 0, role: "button", "aria-pressed": String(!!is) });
    const said = panels.map(({ of, title }) => `${percentText(row[of])} of the ${title}`).join(", ");
    line.append(shape("title", {}, `${row.name}: ${said}`));
    line.append(
      shape("rect", { x: 0, y: top - 2, width, height: y.bandwidth() + 4, fill: "transparent" }),
      shape("text", { ...text, x: LABEL - 10, y: middle, "text-anchor": "end", fill: theme.ink }, row.name),
    );
    panels.forEach(({ of, left }, place) => {
      const long = scales[place](row[of]);
      const colour = is ? "var(--chosen)" : theme.accent;
      line.append(
        shape("rect", {
          x: left,
          y: top,
          width: row[of] ? Math.max(1, long) : 0,
          height: y.bandwidth(),
          rx: 2,
          fill: colour,
        }),
        shape("text", { ...text, x: left + long + 6, y: middle }, row[of] ? percentText(row[of]) : ""),
      );
    });
    const act = () => {
      choose(row.name);
    };
    line.dataset.key = `bar ${row.name}`;
    line.addEventListener("click", act);
    line.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    svg.append(line);
  }
  return svg;
}

/** The fewest adjacent sizes that have nine tenths of the total, in words, and their share; else the largest. */
export function mostIn(
  names: readonly string[],
  shares: readonly number[],
): { share: number; where: string } | null {
  let best: { first: number; last: number; share: number } | null = null;
  for (let first = 0; first < shares.length; first++) {
    let share = 0;
    for (let last = first; last < shares.length; last++) {
      share += shares[last];
      if (share < MOST) continue;
      const shorter = best && last - first - (best.last - best.first);
      if (!best || !shorter || shorter < 0)
        if (!best || shorter !== 0 || share > best.share) best = { first, last, share };
      break;
    }
  }
  if (!best) return null;
  if (best.first === 0 && best.last === shares.length - 1 && best.last > 0) {
    // All sizes are needed: naming the largest is more informative.
    const share = Math.max(...shares);
    return { share, where: `of ${names[shares.indexOf(share)]}` };
  }
  const [low, high] = [ends(names[best.first])?.[0], ends(names[best.last])?.[1]];
  if (low === undefined || high === undefined) return null;
  const below = best.first === 0;
  return {
    share: best.share,
    where: below ? `below ${boundText(high)}` : `of ${boundText(low)} to ${boundText(high)}`,
  };
}

/** The smallest size in a bin, and the smallest size above it. */
function ends(name: string): [number, number] | null {
  const found = /^(\d+)(?:-(\d+))? (\w+)$/.exec(name);
  if (!found) return null;
  const factor = 1024 ** UNITS.indexOf(found[3]);
  const low = Number(found[1]) * factor;
  // From 1 KiB on, the upper end belongs to the next bin.
  const high = Number(found.at(2) ?? found[1]);
  return [low, factor === 1 ? high + 1 : high * factor];
}

function boundText(size: number): string {
  const step = Math.max(0, Math.floor(Math.log2(size) / 10));
  return `${size / 1024 ** step} ${UNITS[step]}`;
}
