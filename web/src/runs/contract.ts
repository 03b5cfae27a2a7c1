/** The data of the page of many runs: written by python/rankwise/render/page/runs.py. */
import type { TableData } from "../ui/data.ts";

export interface RunsData {
  /** The heading. */
  title: string;
  /** The result, a sentence; may be empty. */
  finding: string;
  /** Facts, a sentence each. */
  lines: string[];
  /** Files that were left out, and other reasons for doubt. */
  warnings: string[];
  charts: ChartData[];
  tables: TableData[];
}

export interface ChartData {
  /** For the address and for files. */
  name: string;
  title: string;
  /** How to read it. */
  caption: string;
  x: AxisData;
  y: AxisData;
  series: SeriesData[];
}

export interface AxisData {
  name: string;
  /** `s`, `B`, `%`, or empty: a number. */
  unit: string;
  logarithmic: boolean;
  /** Names of values, in ascending order: these are the ticks. Empty: any ticks. */
  labels: [value: number, text: string][];
}

export interface SeriesData {
  name: string;
  /** `line`: measured, points are joined; `dots`: measured, they are not; `dashed`: ideal or predicted. */
  kind: "line" | "dots" | "dashed";
  points: Point[];
}

/** `low` and `high`: its range, null: not known. `text`: of the tip. */
export type Point = [x: number, y: number, low: number | null, high: number | null, text: string];
