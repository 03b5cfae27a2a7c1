/** A chart: lines or dots over an axis, with their ranges; a legend if there are several. */
import type { Theme } from "../ui/colours.ts";
import { short } from "../ui/dom.ts";
import { shape } from "../ui/svg.ts";
import { type Axis, axisOf, LONGEST } from "./axis.ts";
import type { ChartData, Point, SeriesData } from "./contract.ts";

/** Distinguishable with each kind of colour blindness: Okabe and Ito. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
const HEIGHT = 260;
const [LEFT, RIGHT, TOP, BOTTOM] = [66, 24, 10, 44];
const MARK = 18;
/** Pixels of a letter in the legend. */
const LETTER = 6.8;

/**
 * Draw a chart.
 * @param isShown of its series: colours do not depend on it
 */
export function chartDrawing(
  data: ChartData,
  width: number,
  theme: Theme,
  isShown: (series: SeriesData) => boolean = () => true,
): SVGElement {
  const shown = data.series.flatMap((series, place) => (isShown(series) ? [{ series, place }] : []));
  const marks = data.series.length > 1 ? legend(shown, width) : [];
  const head = TOP + MARK * (marks.length ? 1 + Math.max(...marks.map(({ line }) => line)) : 0);
  const height = head + HEIGHT + BOTTOM;
  const points = shown.flatMap(({ series }) => series.points);
  const x = axisOf(
    data.x,
    points.map(([value]) => value),
    [LEFT, width - RIGHT],
  );
  const y = axisOf(
    data.y,
    points.flatMap(([, value, low, high]) => [value, low ?? value, high ?? value]),
    [head + HEIGHT, head],
  );
  const drawn = shape("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `${data.title}. ${data.y.name} by ${data.x.name}: ${shown.map(({ series }) => series.name).join(", ")}`,
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 12,
  });
  drawn.append(...grid(data, x, y, width, head, theme));
  for (const { series, place } of shown) drawn.append(lineOf(series, x, y, colourOf(place)));
  for (const { series, place, left, line } of marks)
    drawn.append(
      shape("line", {
        x1: left,
        x2: left + 14,
        y1: TOP + line * MARK,
        y2: TOP + line * MARK,
        stroke: colourOf(place),
        "stroke-width": 3,
        ...(series.kind === "dashed" ? { "stroke-dasharray": "4 3" } : {}),
      }),
      shape("text", { x: left + 19, y: TOP + line * MARK + 4, fill: theme.ink }, short(series.name, 40)),
    );
  return drawn;
}

function colourOf(place: number): string {
  return COLOURS[place % COLOURS.length];
}

interface Shown {
  series: SeriesData;
  /** Among all, shown or not. */
  place: number;
}

interface Mark extends Shown {
  left: number;
  line: number;
}

/** The names of the series one after the other, in as many lines as they need. */
function legend(shown: readonly Shown[], width: number): Mark[] {
  let [left, line] = [LEFT, 0];
  return shown.map(({ series, place }) => {
    const needed = 19 + LETTER * Math.min(40, series.name.length) + 16;
    if (left > LEFT && left + needed > width) [left, line] = [LEFT, line + 1];
    const mark = { series, place, left, line };
    left += needed;
    return mark;
  });
}

function grid(data: ChartData, x: Axis, y: Axis, width: number, head: number, theme: Theme): SVGElement[] {
  const foot = head + HEIGHT;
  const ruled = { stroke: theme.rule, "stroke-width": 0.8 };
  const small = { "font-size": 11, fill: theme.faint };
  const axes: SVGElement[] = [];
  for (const [value, text] of y.ticks) {
    const at = y.place(value);
    axes.push(
      shape("line", { x1: LEFT, x2: width - RIGHT, y1: at, y2: at, ...ruled }),
      shape("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end", ...small }, text),
    );
  }
  for (const [value, text] of x.ticks) {
    const at = x.place(value);
    axes.push(
      shape("line", { x1: at, x2: at, y1: foot, y2: foot + 4, ...ruled }),
      shape("text", { x: at, y: foot + 17, "text-anchor": "middle", ...small }, short(text, LONGEST)),
    );
  }
  const middle = (LEFT + width - RIGHT) / 2;
  axes.push(
    shape("line", { x1: LEFT, x2: width - RIGHT, y1: foot, y2: foot, stroke: theme.faint }),
    shape("text", { x: middle, y: foot + 37, "text-anchor": "middle", fill: theme.ink }, data.x.name),
    shape(
      "text",
      {
        x: -(head + HEIGHT / 2),
        y: 13,
        transform: "rotate(-90)",
        "text-anchor": "middle",
        fill: theme.ink,
      },
      data.y.name,
    ),
  );
  return axes;
}

function lineOf({ name, kind, points }: SeriesData, x: Axis, y: Axis, colour: string): SVGElement {
  const group = shape("g", {});
  const at = ([value, height]: Point) => `${x.place(value).toFixed(1)} ${y.place(height).toFixed(1)}`;
  if (kind !== "dots" && points.length > 1)
    group.append(
      shape("path", {
        d: `M${points.map(at).join("L")}`,
        fill: "none",
        stroke: colour,
        "stroke-width": 1.8,
        ...(kind === "dashed" ? { "stroke-dasharray": "5 4" } : {}),
      }),
    );
  for (const point of points) {
    const [value, height, low, high, text] = point;
    if (low !== null && high !== null)
      group.append(
        shape("line", {
          x1: x.place(value),
          x2: x.place(value),
          y1: y.place(low),
          y2: y.place(high),
          stroke: colour,
          "stroke-width": 1.2,
        }),
      );
    if (kind === "dashed") continue;
    const dot = shape("circle", { cx: x.place(value), cy: y.place(height), r: 3.6, fill: colour });
    dot.append(shape("title", {}, text || name));
    group.append(dot);
  }
  return group;
}

/** The points as lines of a file. */
export function chartLines(data: ChartData): (string | number)[][] {
  const unit = (of: string) => (of ? `, ${of}` : "");
  const [x, y] = [`${data.x.name}${unit(data.x.unit)}`, `${data.y.name}${unit(data.y.unit)}`];
  const named = new Map(data.x.labels);
  return [
    ["series", x, y, "low", "high", "text"],
    ...data.series.flatMap(({ name, points }) =>
      points.map(([value, height, low, high, text]) => [
        name,
        named.get(value) ?? value,
        height,
        low ?? NaN,
        high ?? NaN,
        text,
      ]),
    ),
  ];
}
