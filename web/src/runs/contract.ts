/** The data of a sheet on many runs: written by python/rankwise/render/page/contents/sheet.py. */
import type { TableData } from "../ui/data.ts";

/** A sheet: a page by itself, or a page of a report. */
export interface SheetData {
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
  /** It begins at zero. */
  fromZero: boolean;
  /** Names of values, in ascending order: these are the ticks. Empty: any ticks. */
  labels: [value: number, text: string][];
}

export interface SeriesData {
  name: string;
  /** `line`: measured, points are joined; `dots`: measured, they are not; `dashed`: ideal or predicted. */
  kind: "line" | "dots" | "dashed";
  points: Point[];
  /** What it shows, by the names of columns that tables are filtered by; empty: the whole run. */
  about: Record<string, string>;
}

/** `low` and `high`: its range, null: not known. `text`: of the tip. */
export type Point = [x: number, y: number, low: number | null, high: number | null, text: string];
