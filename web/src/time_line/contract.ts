/** What the page Time line holds: filled by python/rankwise/render/page/contents/parts/time_line.py. */
import type { Numbers, TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    timeLine?: TimeLineData;
  }
}

export type Measure = "mpi" | "sent" | "received" | "messages" | "calls";

export interface TimeLineData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is, and so is the rest. */
  missing: string;
  title: string;
  /** Seconds after the start of the run: where the first interval begins. */
  begin: number;
  /** Seconds, of each interval. */
  width: number;
  /** Intervals. */
  count: number;
  /** Neighbours in the list of ranks that are one row of the matrix. */
  together: number;
  /** The ranks, ascending; when each came out of MPI_Init, and when it came to MPI_Finalize; its threads. */
  rank: Numbers;
  from: Numbers;
  to: Numbers;
  threads: Numbers;
  measures: Record<Measure, Cells>;
  /** A sentence; '' = as it was recorded. */
  precision: string;
  phases: Phases;
}

/** Row by row: % of the time in MPI, or how many a second; NaN: the rank was not there. */
export interface Cells {
  /** What the numbers in the columns stand for; null: for themselves. */
  levels: Numbers | null;
  /** Of the ranks of a row. */
  mean: Numbers;
  /** Of them the rank with the most; null: a row is one rank. */
  most: Numbers | null;
}

/** In the order of time; over the ranks, % in MPI, and how many a second. */
export interface Phases extends Record<Measure, number[]> {
  /** Seconds after the start of the run. */
  begin: number[];
  end: number[];
  table: TableData;
}
