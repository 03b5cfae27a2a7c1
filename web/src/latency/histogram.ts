/** The distribution of pairs over values, level by level, and the median of each level. */
import { max, sum } from "d3-array";
import { scaleLinear } from "d3-scale";
import { theme } from "../ui/colours.ts";
import { element, row } from "../ui/dom.ts";
import type { Cell } from "../ui/files.ts";
import { shape } from "../ui/svg.ts";
import { countOf, countText, digits } from "../units.ts";
import { apart, logScale, roundValues } from "./axes.ts";
import type { LatencyData, ViewData } from "./contract.ts";
import { withUnit } from "./facts.ts";

const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 8, 8, 36];
/** From this ratio on, counts of pairs are so different that an axis from 0 hides the small ones. */
const MANY = 20;
const TICKS = 5;

/** The colour of a level; black is invisible on dark paper. */
export function classColour(data: LatencyData, place: number): string {
  const colour = data.classColours[place % data.classColours.length];
  return colour === "#000000" ? theme().ink : colour;
}

export function histogram(data: LatencyData, view: ViewData, width: number): SVGElement {
  const look = theme();
  const { edges, counts } = view.histogram;
  const most = max(counts, (of) => max(of) ?? 0) ?? 0;
  const x = logScale([edges[0], edges[edges.length - 1]], [LEFT, width - RIGHT]);
  const { y, ticks } = countAxis(most);
  const svg = shape("svg", {
    width,
    height: HEIGHT,
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
    fill: look.faint,
    "aria-label": spoken(data, view),
  });
  for (const count of ticks) {
    const at = y(count);
    svg.append(
      shape("line", { x1: LEFT, x2: width - RIGHT, y1: at, y2: at, stroke: look.rule, "stroke-width": 0.6 }),
      shape("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, countText(count)),
    );
  }
  counts.forEach((of, place) => {
    of.forEach((count: number, bin: number) => {
      if (!count) return;
      const [from, to] = [x(edges[bin]), x(edges[bin + 1])];
      const bar = shape("rect", {
        x: from,
        width: Math.max(1, to - from),
        y: y(count),
        height: HEIGHT - BOTTOM - y(count),
        fill: classColour(data, place),
        "fill-opacity": 0.85,
      });
      const span = `${digits(edges[bin])} – ${withUnit(view, edges[bin + 1])}`;
      bar.append(shape("title", {}, `${data.classes[place]}: ${countOf(count, "pair")}, ${span}`));
      svg.append(bar);
    });
  });
  const values = roundValues(edges[0], edges[edges.length - 1], 8);
  for (const { at, text } of apart(values.map((value) => ({ at: x(value), text: String(value) }))))
    svg.append(shape("text", { x: at, y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, text));
  const named = { x: 0, y: 0, "text-anchor": "middle" };
  const upright = `translate(11 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`;
  svg.append(shape("text", { ...named, transform: upright }, pairsText(view)));
  const middle = (LEFT + width - RIGHT) / 2;
  svg.append(shape("text", { x: middle, y: HEIGHT - 5, "text-anchor": "middle" }, view.quantity));
  return svg;
}

export function isLogarithmic({ histogram }: ViewData): boolean {
  return (max(histogram.counts, (of) => max(of) ?? 0) ?? 0) >= MANY;
}

function countAxis(most: number): { y: (count: number) => number; ticks: number[] } {
  const ends: [number, number] = [HEIGHT - BOTTOM, TOP];
  if (most < MANY) {
    const y = scaleLinear([0, Math.max(1, most)], ends).nice(TICKS);
    return { y, ticks: y.ticks(TICKS).filter(Number.isInteger) };
  }
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
  return { y: logScale([0.7, 1.6 * most], ends), ticks: powers };
}

function pairsText(view: ViewData): string {
  return view.smallest ? "pairs, each way" : "pairs";
}

/** Levels that have pairs. */
function there(data: LatencyData, view: ViewData): { place: number; pairs: number; median: number }[] {
  return data.classes
    .map((_, place) => ({
      place,
      pairs: sum(view.histogram.counts[place]),
      median: view.histogram.medians[place],
    }))
    .filter(({ pairs }) => pairs > 0);
}

function spoken(data: LatencyData, view: ViewData): string {
  const levels = there(data, view).map(
    ({ place, pairs, median }) =>
      `${data.classes[place]}: ${countOf(pairs, "pair")}, median ${withUnit(view, median)}`,
  );
  return `Pairs by ${view.quantity}. ${levels.join("; ")}`;
}

export function levelTable(data: LatencyData, view: ViewData): HTMLTableElement {
  const lines = there(data, view).map(({ place, pairs, median }) => {
    const dot = element("span", [], "dot");
    dot.style.background = classColour(data, place);
    return row([
      element("span", [dot, data.classes[place]]),
      pairs.toLocaleString("en"),
      withUnit(view, median),
    ]);
  });
  return element("table", [
    element("thead", row(["level", pairsText(view), "median"], 1, true)),
    element("tbody", lines),
  ]);
}

export function histogramLines(data: LatencyData, view: ViewData): Cell[][] {
  const { edges, counts } = view.histogram;
  const unit = view.unit.replace("/", "_per_");
  const rows: Cell[][] = [["level", `from_${unit}`, `to_${unit}`, "pairs"]];
  counts.forEach((of, place) => {
    of.forEach((count: number, bin: number) => {
      if (count) rows.push([data.classes[place], edges[bin], edges[bin + 1], count]);
    });
  });
  return rows;
}
