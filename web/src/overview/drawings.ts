/** Figures of the overview as drawings to keep. */
import { shape } from "../ui/svg.ts";
import type { EfficiencyNode, TimeData } from "./contract.ts";

const WIDTH = 560;
const LINE = 22;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function word(x: number, y: number, text: string, anchor = "start"): SVGElement {
  return shape("text", { x, y, fill: colour("ink"), "font-size": 12, "text-anchor": anchor }, text);
}

function sheet(lines: number, parts: readonly SVGElement[]): SVGElement {
  const height = lines * LINE + 8;
  const made = shape("svg", { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` });
  made.append(...parts);
  return made;
}

/** One bar of all parts, and their names below it. */
export function barDrawing(data: TimeData): SVGElement {
  let x = 0;
  const parts: SVGElement[] = [];
  const scale = WIDTH / (100 + data.apart.percent);
  const entries: { fill: string; percent: number; text: string }[] = data.parts.map((part) => ({
    fill: colour(`part-${part.name}`),
    percent: part.percent,
    text: `${part.label} ${part.text}, ${part.time} a rank`,
  }));
  entries.push({
    fill: colour("part-apart"),
    percent: data.apart.percent,
    text: `Init, Finalize ${data.apart.time} per rank, not in the 100 %`,
  });
  entries.forEach(({ fill, percent, text }, place) => {
    const y = 26 + place * LINE;
    parts.push(
      shape("rect", { x, y: 0, width: percent * scale, height: 20, fill }),
      shape("rect", { x: 0, y: y + 5, width: 11, height: 11, fill }),
      word(18, y + 15, text),
    );
    x += percent * scale;
  });
  return sheet(entries.length + 1, parts);
}

export function treeDrawing(tree: EfficiencyNode): SVGElement {
  const parts: SVGElement[] = [];
  const draw = (one: EfficiencyNode, depth: number) => {
    const y = (parts.length / 4) * LINE;
    const left = 190;
    const room = WIDTH - left - 60;
    parts.push(
      word(18 * depth, y + 15, one.label),
      shape("rect", { x: left, y: y + 5, width: room, height: 10, fill: colour("well") }),
      shape("rect", { x: left, y: y + 5, width: room * one.value, height: 10, fill: colour("accent") }),
      word(WIDTH, y + 15, one.text, "end"),
    );
    for (const other of one.below) draw(other, depth + 1);
  };
  draw(tree, 0);
  return sheet(parts.length / 4, parts);
}
