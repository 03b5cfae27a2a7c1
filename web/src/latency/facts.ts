/** Facts about a pair, and the findings of the figures. */
import type { Facts } from "../ui/tip.ts";
import { countOf, digits, ratioText } from "../units.ts";
import type { ViewData } from "./contract.ts";
import {
  type Cell,
  cellOf,
  isOwn,
  type Model,
  type Pair,
  pairAt,
  slower,
  valueAt,
  worstCell,
} from "./model.ts";

export function withUnit(view: ViewData, value: number): string {
  return Number.isFinite(value) ? `${digits(value)} ${view.unit}` : "–";
}

export function pooledText({ matrix: { together } }: ViewData): string {
  return `the worst of ${together} × ${together} pairs`;
}

/** Both ends of a pair. */
export function pairName(model: Model, view: ViewData, [one, other]: Pair): string {
  const { ranks } = model.data;
  const way = view.smallest ? "→" : "–";
  return `rank ${ranks[one]} on ${model.host(one)} ${way} rank ${ranks[other]} on ${model.host(other)}`;
}

/** The values of a pair in a view, in both directions if these were measured separately. */
export function valuesOf(view: ViewData, [one, other]: Pair): [name: string, value: number][] {
  const value = (pair: Pair) => valueAt(view, cellOf(view, pair));
  return view.smallest
    ? [
        [`${view.name} there`, value([one, other])],
        [`${view.name} back`, value([other, one])],
      ]
    : [[view.name, value([one, other])]];
}

/** All measurements of a cell with messages of one size; null: it is a rank and itself. */
export function facts(model: Model, view: ViewData, cell: Cell): Facts | null {
  if (isOwn(view, cell, model.size)) return null;
  const pair = pairAt(view, cell, model.size);
  const rows = model.data.views
    .filter((other) => other.size === view.size)
    .flatMap((other) => {
      const coarser = other.matrix.together !== view.matrix.together && other.matrix.together > 1;
      const note = coarser ? `, ${pooledText(other)}` : "";
      return valuesOf(other, pair).map(([name, value]): [string, string] => [
        `${name}${note}`,
        withUnit(other, value),
      ]);
    });
  const many = view.matrix.together > 1 ? `; ${pooledText(view)}` : "";
  return {
    head: pairName(model, view, pair),
    note: `${model.data.classes[model.level(...pair)]}, ${view.sizeName}${many}`,
    rows,
  };
}

export function mapFinding(model: Model, view: ViewData): string {
  const cell = worstCell(view);
  if (!cell) return "Nothing was measured";
  const [one, other] = pairAt(view, cell, model.size);
  const { ranks, classes } = model.data;
  const value = valueAt(view, cell);
  const level = model.level(one, other);
  const times = slower(view, value, view.histogram.medians[level]);
  const way = view.smallest ? "→" : "–";
  const pair = `rank ${ranks[one]} ${way} rank ${ranks[other]}, ${withUnit(view, value)}`;
  if (view.statistic === "std") return `Largest deviation: ${pair}`;
  const much = times > 1.005 ? `, ${ratioText(times)} × slower than the median ${classes[level]}` : "";
  // Both are true: one pair is always the slowest, and pairs of one level always differ.
  const usual = much && model.data.hierarchy && !model.data.outliers.length;
  return `Slowest pair: ${pair}${much}${usual ? ", within the usual spread of its level" : ""}`;
}

export function levelsFinding({ data }: Model, view: ViewData): string {
  const { medians } = view.histogram;
  const there = data.classes.map((_, place) => place).filter((place) => !Number.isNaN(medians[place]));
  const of = (place: number) => withUnit(view, medians[place]);
  const [first, last] = [there[0], there[there.length - 1]];
  if (!there.length) return "No pair has a value";
  if (first === last) return `Median ${data.classes[first]}: ${of(first)}`;
  const times = ratioText(slower(view, medians[last], medians[first]));
  return `Medians: ${data.classes[first]} ${of(first)}, ${data.classes[last]} ${of(last)}, ${times} × slower`;
}

export function nodesFinding({ data }: Model, { nodes, ...view }: ViewData): string {
  const there = Array.from(nodes.median.keys()).filter((place) => !Number.isNaN(nodes.median[place]));
  const of = (place: number) => nodes.median[place];
  const ordered = there.sort((one, other) => (view.smallest ? of(one) - of(other) : of(other) - of(one)));
  const kind = `Each ${nodes.kind} with the others`;
  if (ordered.length < 3) return kind;
  const whole = { nodes, ...view };
  const usual = of(ordered[Math.floor(ordered.length / 2)]);
  const times = slower(whole, of(ordered[0]), usual);
  const name = `${nodes.kind === "rank" ? "rank " : ""}${nodes.labels[ordered[0]]}`;
  const within = data.hierarchy && !data.outliers.length ? `; no ${nodes.kind} stands out` : "";
  return times > 1.05
    ? `${kind}: ${name} is slowest, median ${withUnit(whole, of(ordered[0]))}, ${ratioText(times)} × the middle one${within}`
    : `${kind}: all medians are within ${Math.max(1, Math.ceil(100 * (times - 1)))} % of ${withUnit(whole, usual)}`;
}

export function outliersFinding(found: number, hierarchy: boolean): string {
  if (!hierarchy) return "Outliers are unknown: no levels are known";
  if (!found) return "No outliers";
  return countOf(found, "outlier");
}
