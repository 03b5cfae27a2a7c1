/** The data of the page Time line: written by python/rankwise/render/page/contents/parts/time_line.py. */
import type { Numbers, TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    timeLine?: TimeLineData;
  }
}

export type Measure = "mpi" | "sent" | "received" | "messages" | "calls";

export interface TimeLineData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data, and all other members exist. */
  missing: string;
  title: string;
  /** Seconds after the start of the run: where the first interval begins. */
  begin: number;
  /** Seconds, of each interval. */
  width: number;
  /** Intervals. */
  count: number;
  /** Neighbours in the list of ranks that form one row of the matrix. */
  together: number;
  /** The ranks, ascending; when each left MPI_Init, and when it reached MPI_Finalize; its threads. */
  rank: Numbers;
  from: Numbers;
  to: Numbers;
  threads: Numbers;
  measures: Record<Measure, Cells>;
  /** A sentence; '' = in the recorded resolution. */
  precision: string;
  /** null = there are no counters of the network. */
  ports: PortLines | null;
  phases: Phases;
}

/** The network ports of each node in the same intervals. */
export interface PortLines {
  /** Numbers of the nodes on the axis of hosts, ascending. */
  host: Numbers;
  /** Row by row, bytes a second without headers; NaN: no samples. */
  sent: Numbers;
  received: Numbers;
  /** Row by row, % of the time in which ports had data to send and could not; 255: not known, or no data. */
  blocked: Numbers;
  /** From this % on, a cell is marked. */
  much: number;
  /** Number of the nodes that are left out because they moved less. */
  others: number;
}

/** Row by row: % of the time in MPI, or how many a second; NaN: the rank was not there. */
export interface Cells {
  /** The values for the numbers in the columns; null: the numbers themselves. */
  levels: Numbers | null;
  /** Of the ranks of a row. */
  mean: Numbers;
  /** Of them the rank with the most; null: a row is one rank. */
  most: Numbers | null;
}

/** In the order of time; over all ranks, % in MPI, and how many a second. */
export interface Phases extends Record<Measure, number[]> {
  /** Seconds after the start of the run. */
  begin: number[];
  end: number[];
  table: TableData;
}
