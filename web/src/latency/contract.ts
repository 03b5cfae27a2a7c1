/**
 * The data of the page of a measurement: written by python/rankwise/render/page/latency/data.py. Numbers are columns of
 * the container (container.ts).
 *
 * A place is an index in the order of rows and columns.
 */
import type { Numbers } from "../ui/data.ts";

export interface LatencyData {
  format: 1;
  title: string;
  about: string[];
  warnings: string[];
  /** Colours of levels, as #rrggbb; repeated, if there are more levels. */
  classColours: string[];
  /** The rank at each place. */
  ranks: Numbers;
  hosts: string[];
  shortHosts: string[];
  /** Index into hosts of each place. */
  hostOf: Numbers;
  /** For each level but the outermost, from the innermost, the group of each place. */
  levels: Numbers[];
  /** Names of the levels, from the innermost to the outermost. */
  classes: string[];
  divisions: Division[];
  outliers: Outlier[];
  /** Whether levels were found: otherwise only hosts are known, and nothing is an outlier. */
  hierarchy: boolean;
  /** The largest relative error of values in matrices; 0: they are exactly the measured values. */
  rounding: number;
  views: ViewData[];
  /** The view, and its shape, at the start of the page. */
  start: number;
  surface: boolean;
}

/** Groups of neighbours: the first place, the place after the last, and a name. */
export interface Division {
  name: string;
  blocks: [start: number, stop: number, name: string][];
}

export interface Outlier {
  kind: string;
  where: string;
  size: string;
  measured: string;
  others: string;
  verdict: string;
}

/** One statistic of one size of messages. */
export interface ViewData {
  statistic: string;
  name: string;
  size: number;
  sizeName: string;
  unit: string;
  quantity: string;
  /** Whether small values are the bad ones. */
  smallest: boolean;
  /** Values at the ends of the scale. */
  fast: number;
  slow: number;
  /** Whether there are values beyond its slow end. */
  cut: boolean;
  ticks: [value: number, text: string][];
  matrix: MatrixValues;
  /** Pairs by value, for each level; `edges` has one more than there are bins. */
  histogram: { edges: Numbers; counts: Numbers[]; medians: Numbers };
  /** Of the pairs with one end in a node, or with one rank if there is only one node. */
  nodes: { kind: string; labels: string[]; median: Numbers; worst: Numbers };
}

export interface MatrixValues {
  /** Then only the upper triangle with the diagonal is stored, row by row; else all rows. */
  symmetric: boolean;
  /** Places in a cell, in both directions. */
  together: number;
  /** Rows. */
  cells: number;
  /** The worst of each cell; NaN: none was measured. */
  values: Numbers;
  /** The position of the worst value in its cell, row by row; null: each cell is one pair. */
  where: Numbers | null;
}
