/** Where the time in MPI goes: by program or library, function and place, each as wide as its time. */
import type { Theme } from "../ui/colours.ts";
import { shape } from "../ui/svg.ts";
import { fitting } from "../ui/text_width.ts";
import { percentText, secondText } from "../units.ts";

/** A part of the time. `site`: index of its place; -1: it has several. */
export interface Part {
  name: string;
  seconds: number;
  site: number;
  inside: Part[];
}

const ROW = 27;
const GAP = 1.5;
const LETTERS = 12;
/** Pixels next to a text. */
const EDGE = 6;
/** Pixels: narrower parts are drawn with their neighbours. */
const LEAST = 5;

export interface Ways {
  width: number;
  theme: Theme;
  /** Index of the chosen place; -1: none. */
  chosen: number;
  choose: (site: number) => void;
  /** The qualifier of the time in MPI: '' = of the whole run. */
  left: string;
}

export function icicle(parts: readonly Part[], ways: Ways): SVGElement {
  const depth = depthOf(parts);
  const whole = parts.reduce((sum, part) => sum + part.seconds, 0);
  const svg = shape("svg", {
    width: ways.width,
    height: depth * ROW,
    viewBox: `0 0 ${ways.width} ${depth * ROW}`,
    role: "img",
    "aria-label": `Time in MPI: ${parts.map((part) => told(part, whole, ways.left)).join("; ")}`,
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": LETTERS,
  });
  draw(svg, parts, { left: 0, level: 0, scale: ways.width / (whole || 1), whole }, ways);
  return svg;
}

interface At {
  left: number;
  level: number;
  /** Pixels a second. */
  scale: number;
  whole: number;
}

function draw(svg: SVGElement, parts: readonly Part[], at: At, ways: Ways): void {
  const { theme } = ways;
  let left = at.left;
  const rest: Part = { name: "", seconds: 0, site: -1, inside: [] };
  let many = 0;
  for (const part of parts) {
    const width = part.seconds * at.scale;
    if (width < LEAST) {
      rest.seconds += part.seconds;
      many++;
      continue;
    }
    box(svg, part, left, width, at, ways);
    draw(svg, part.inside, { ...at, left, level: at.level + 1 }, ways);
    left += width;
  }
  const width = rest.seconds * at.scale;
  if (width < GAP) return;
  const others = shape("rect", {
    x: left,
    y: at.level * ROW,
    width: Math.max(width - GAP, 0.5),
    height: ROW - GAP,
    fill: theme.unlit,
  });
  others.append(shape("title", {}, `${many} more: ${secondText(rest.seconds)}`));
  svg.append(others);
}

function box(svg: SVGElement, part: Part, left: number, width: number, at: At, ways: Ways): void {
  const { theme, chosen } = ways;
  const is = part.site >= 0 && part.site === chosen;
  const group = shape("g", { class: part.site >= 0 ? "pick" : "" });
  const strength = [0.34, 0.24, 0.15][Math.min(at.level, 2)];
  group.append(
    shape("title", {}, told(part, at.whole, ways.left)),
    shape("rect", {
      x: left,
      y: at.level * ROW,
      width: width - GAP,
      height: ROW - GAP,
      rx: 3,
      fill: theme.accent,
      "fill-opacity": strength,
      stroke: is ? theme.ink : "none",
      "stroke-width": is ? 2 : 0,
    }),
  );
  const text = fitting(part.name, width - GAP - 2 * EDGE, LETTERS);
  if (text) {
    // Clipped, too: a saved picture may be shown with another font.
    const inside = shape("svg", { x: left, y: at.level * ROW, width: width - GAP, height: ROW - GAP });
    inside.append(shape("text", { x: EDGE, y: 17, fill: theme.ink, class: "ink" }, text));
    group.append(inside);
  }
  if (part.site >= 0)
    group.addEventListener("click", () => {
      ways.choose(part.site);
    });
  svg.append(group);
}

function told(part: Part, whole: number, left: string): string {
  return `${part.name}: ${secondText(part.seconds)}, ${percentText(part.seconds / whole)} of the time in MPI${left}`;
}

function depthOf(parts: readonly Part[]): number {
  return parts.length ? 1 + Math.max(...parts.map((part) => depthOf(part.inside))) : 0;
}
