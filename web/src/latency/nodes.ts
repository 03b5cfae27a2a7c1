/** The values of each node with all others: a slow node is an outlier, a slow link shows at both its ends. */
import { theme } from "../ui/colours.ts";
import { short } from "../ui/dom.ts";
import type { Cell } from "../ui/files.ts";
import { shape } from "../ui/svg.ts";
import { measured } from "../ui/text_width.ts";
import { logScale, roundValues } from "./axes.ts";
import { shadeText } from "./colours.ts";
import type { ViewData } from "./contract.ts";
import { withUnit } from "./facts.ts";
import { heightBy } from "./model.ts";

const HEIGHT = 210;
const [LEFT, RIGHT, TOP] = [54, 10, 18];
const LINE = 14;
const LONGEST = 22;

export function nodesDrawing(view: ViewData, width: number, logarithmic: boolean): SVGElement {
  const look = theme();
  const { labels, median, worst, kind } = view.nodes;
  const pitch = (width - LEFT - RIGHT) / labels.length;
  const x = (place: number) => LEFT + (place + 0.5) * pitch;
  const names = labels.map((label) => short(label, LONGEST));
  const widest = Math.max(...names.map((name) => measured(name)));
  const upright = widest + 8 > pitch;
  const bottom = upright ? widest + 14 : 24;
  const height = HEIGHT + (upright ? widest - 10 : 0);
  const [low, high] = range(view);
  const y = logScale([low, high], [height - bottom, TOP]);
  const shadeOf = heightBy(view, logarithmic);
  const svg = shape("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
    fill: look.faint,
    "aria-label": `Median and worst pair of ${labels.length} ${kind}s, ${view.unit}`,
  });
  for (const value of roundValues(low, high, 7)) {
    const at = y(value);
    svg.append(
      shape("line", { x1: LEFT, x2: width - RIGHT, y1: at, y2: at, stroke: look.rule, "stroke-width": 0.6 }),
      shape("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, String(value)),
    );
  }
  svg.append(shape("text", { x: LEFT - 6, y: 10, "text-anchor": "end" }, view.unit));
  const radius = Math.max(1.5, Math.min(5.5, pitch / 3));
  let free = -Infinity;
  names.forEach((name, place) => {
    if (!Number.isNaN(median[place])) {
      const [from, to] = [y(median[place]), y(worst[place])];
      const colour = (value: number) => shadeText(shadeOf(value));
      const whole = shape("g", {});
      whole.append(
        shape("title", {}, told(view, place)),
        // Wide enough for the pointer.
        shape("rect", {
          x: x(place) - pitch / 2,
          y: TOP,
          width: pitch,
          height: height - bottom - TOP,
          fill: "transparent",
        }),
        line(x(place), from, x(place), to, look.unlit, Math.max(1, Math.min(4, pitch / 3))),
        line(x(place) - radius, to, x(place) + radius, to, colour(worst[place]), 2.5),
        shape("circle", { cx: x(place), cy: from, r: radius, fill: colour(median[place]) }),
      );
      svg.append(whole);
    }
    const half = upright ? LINE / 2 : measured(name) / 2 + 4;
    if (x(place) - half < free) return;
    free = x(place) + half;
    const at = { x: x(place), y: height - bottom + 16 };
    svg.append(
      upright
        ? shape(
            "text",
            {
              x: 0,
              y: 4,
              "text-anchor": "end",
              transform: `translate(${at.x} ${height - bottom + 8}) rotate(-90)`,
            },
            name,
          )
        : shape("text", { ...at, "text-anchor": "middle" }, name),
    );
  });
  return svg;
}

function line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number): SVGElement {
  return shape("line", { x1, y1, x2, y2, stroke, "stroke-width": width });
}

function told(view: ViewData, place: number): string {
  const { labels, median, worst, kind } = view.nodes;
  const values = `median ${withUnit(view, median[place])}, worst ${withUnit(view, worst[place])}`;
  return `${kind} ${labels[place]}: ${values}`;
}

/** For the axis: at least a factor of 2.5, so that noise does not look like a difference. */
function range(view: ViewData): [number, number] {
  const all = [...view.nodes.median, ...view.nodes.worst].filter((value) => !Number.isNaN(value));
  if (!all.length) return [1, 2.5];
  const [low, high] = [Math.min(...all) * 0.9, Math.max(...all) / 0.9];
  const more = Math.max(1, Math.sqrt((2.5 * low) / high));
  return [low / more, high * more];
}

export function nodeLines(view: ViewData): Cell[][] {
  const { kind, labels, median, worst } = view.nodes;
  const unit = view.unit.replace("/", "_per_");
  const rows: Cell[][] = labels.map((label, place) => [label, median[place], worst[place]]);
  return [[kind, `median_${unit}`, `worst_${unit}`], ...rows];
}
