/** Bars side by side, as numbers: their parts, and the combination of several that share a pixel. */
import type { Facts } from "./tip.ts";

export interface Series {
  name: string;
  colour: string;
  values: Float64Array;
}

export interface BarsData {
  label: string;
  count: number;
  /** From the line at 0 on. */
  up: Series[];
  down: Series[];
  /** Heights that are marked by a line. */
  mark: Series | null;
  /** Of heights. */
  text: (value: number) => string;
  /** Below a bar. */
  name: (bar: number) => string;
  title: string;
  /** Neighbouring bars that belong together: the first one of each group, and its name. */
  groups: { first: number; name: string }[];
  facts: (bar: number) => Facts;
  choose: (bar: number) => void;
  /** Pixels. */
  height: number;
}

export function mean(values: Float64Array, first: number, after: number): number {
  let sum = 0;
  for (let bar = first; bar < after; bar++) sum += values[bar];
  return sum / (after - first);
}

export function highest(values: Float64Array, first: number, after: number): number {
  let most = 0;
  for (let bar = first; bar < after; bar++) most = Math.max(most, values[bar]);
  return most;
}

/** The largest sum of all parts, or mark. */
export function peak(series: readonly Series[], count: number, mark: Series | null = null): number {
  let most = 0;
  for (let bar = 0; bar < count; bar++) {
    const sum = series.reduce((whole, { values }) => whole + values[bar], 0);
    most = Math.max(most, sum, mark?.values[bar] ?? 0);
  }
  return most;
}
