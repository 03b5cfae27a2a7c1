/** The distribution of the loads of each class, with the lower bound for its most loaded link. */
import { max } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { HOT, stepOf } from "../ui/colours.ts";
import { countOf, ratioText } from "../units.ts";
import { shape } from "../ui/svg.ts";
import type { ClassFacts } from "./model.ts";
import { isLooked, limitOf, type View } from "./view.ts";

const BINS = 32;
const [WIDTH, HEIGHT] = [300, 150];
const [LEFT, RIGHT, TOP, BOTTOM] = [50, 12, 26, 22];

/** Pixels of the text of a line. */
const ROOM = 92;
const HALO = { "paint-order": "stroke", "stroke-width": 3, "stroke-linejoin": "round" };

export interface Bins {
  edges: number[];
  /** Links by bin; without unloaded ones. */
  links: number[][];
}

/** The classes that have links in the direction that is shown. */
export function classesOf(view: View): ClassFacts[] {
  const { class: classOf } = view.rail.data.links;
  const looked = new Set<number>();
  for (let link = 0; link < view.rail.links; link++) if (isLooked(view, link)) looked.add(classOf[link]);
  return view.classes[view.state.rail].filter((facts) => looked.has(facts.class));
}

export function binned(view: View, facts: ClassFacts): Bins {
  const end = Math.max(facts.most, facts.bound) * 1.02 || 1;
  const bins: Bins = {
    edges: Array.from({ length: BINS + 1 }, (_, place) => (end * place) / BINS),
    links: Array.from({ length: BINS }, () => []),
  };
  const { class: classOf } = view.rail.data.links;
  view.values[view.state.rail].forEach((value, link) => {
    if (classOf[link] === facts.class && value > 0)
      bins.links[Math.min(BINS - 1, Math.floor((value / end) * BINS))].push(link);
  });
  return bins;
}

export function histogram(view: View, facts: ClassFacts, choose: (links: number[]) => void): SVGElement {
  const { theme } = view;
  const bins = binned(view, facts);
  const x = scaleLinear([0, bins.edges[BINS]], [LEFT, WIDTH - RIGHT]);
  const most = max(bins.links, (links) => links.length) ?? 1;
  const y = scaleLog([0.7, Math.max(2, most * 1.3)], [HEIGHT - BOTTOM, TOP]).clamp(true);
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
    role: "img",
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
    fill: theme.faint,
    "aria-label": spoken(view, facts),
  });
  for (const count of ticks(most * 1.3)) {
    svg.append(
      shape("line", {
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: y(count),
        y2: y(count),
        stroke: theme.rule,
        "stroke-width": 0.6,
      }),
    );
    svg.append(shape("text", { x: LEFT - 5, y: y(count) + 4, "text-anchor": "end" }, String(count)));
  }
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  const turned = `rotate(-90 9 ${middle})`;
  svg.append(
    shape("text", { x: 9, y: middle + 4, "text-anchor": "middle", transform: turned }, "links (log)"),
  );
  bins.links.forEach((links, bin) => {
    if (!links.length) return;
    const [from, to] = [x(bins.edges[bin]), x(bins.edges[bin + 1])];
    const middle = (bins.edges[bin] + bins.edges[bin + 1]) / 2;
    const hot = middle > limitOf(facts);
    const bar = shape("rect", {
      x: from + 0.5,
      width: to - from - 1,
      y: y(links.length),
      height: HEIGHT - BOTTOM - y(links.length),
      fill: hot ? HOT : theme.ramp[stepOf(middle, view.most, false)],
      class: "bin",
    });
    const told = `${countOf(links.length, "link")} with ${view.text(bins.edges[bin])} to ${view.text(bins.edges[bin + 1])}`;
    const bars = [bar];
    const lit = links.filter((link) => view.lit && view.lit.links[view.state.rail][link] > 0).length;
    if (lit) {
      const over = bar.cloneNode() as SVGElement;
      over.setAttribute("y", String(y(lit)));
      over.setAttribute("height", String(HEIGHT - BOTTOM - y(lit)));
      bars.push(over);
    }
    if (view.lit) bar.setAttribute("fill", theme.unlit);
    for (const one of bars) {
      one.append(shape("title", {}, view.lit ? `${told}; ${lit} of them highlighted` : told));
      one.addEventListener("click", () => {
        choose(links);
      });
    }
    svg.append(...bars);
  });
  svg.append(...marks(view, facts, x));
  svg.append(shape("text", { x: LEFT, y: HEIGHT - 6 }, "0"));
  svg.append(
    shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, view.text(bins.edges[BINS])),
  );
  return svg;
}

/** Counts next to the axis: more of them if it is short. */
function ticks(end: number): number[] {
  const steps = end < 130 ? [1, 2, 5] : [1];
  return [1, 10, 100, 1000, 10_000]
    .flatMap((ten) => steps.map((step) => step * ten))
    .filter((tick) => tick <= end);
}

/** The lines of mean and bound. Their texts do not cross the other line. */
function marks(view: View, facts: ClassFacts, x: (value: number) => number): SVGElement[] {
  const { theme } = view;
  const lines = [
    {
      at: x(facts.mean),
      text: `mean ${view.text(facts.mean)}`,
      stroke: theme.faint,
      "stroke-dasharray": "3 2",
    },
    {
      at: x(facts.bound),
      text: `bound ${view.text(facts.bound)}`,
      stroke: theme.ink,
      "stroke-dasharray": "",
    },
  ].filter((_, place) => [facts.mean, facts.bound][place] > 0);
  lines.sort((one, other) => one.at - other.at);
  // The left one's text is at its left, below the other's; without room, at its right, above it.
  const noRoom = lines.length > 0 && lines[0].at < LEFT + ROOM;
  return lines.flatMap(({ at, text, ...look }, place) => {
    const right = place === 0 ? noRoom : at < WIDTH - ROOM;
    const top = (place === 0) === noRoom ? TOP - 18 : TOP - 4;
    const where = { x: at + (right ? 4 : -4), y: top + 5, "text-anchor": right ? "start" : "end" };
    return [
      shape("line", { x1: at, x2: at, y1: top, y2: HEIGHT - BOTTOM, "stroke-width": 1.5, ...look }),
      shape("text", { ...HALO, stroke: theme.paper, ...where }, text),
    ];
  });
}

function spoken(view: View, facts: ClassFacts): string {
  const bound = facts.bound > 0 ? `bound ${view.text(facts.bound)}` : "bound unknown";
  const used = `${facts.used} of ${facts.links} links of the job's part are used`;
  return `${facts.name}: ${used}, at most ${view.text(facts.most)}, mean ${view.text(facts.mean)}, ${bound}`;
}

export function histogramTitle(facts: ClassFacts): string {
  const excess = facts.bound > 0 ? `, ${ratioText(facts.most / facts.bound)} × the bound` : "";
  const mean = facts.mean > 0 ? `most ${ratioText(facts.most / facts.mean)} × the mean` : "no load";
  return `${facts.name}: ${mean}${excess}`;
}
