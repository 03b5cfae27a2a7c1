/**
 * The data of the page Overview: written by python/rankwise/render/page/contents/parts/overview.py. All texts are the
 * same as in the terminal.
 */
import type { TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    overview?: OverviewData;
  }
}

export interface OverviewData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data. */
  missing: string;
  trust: { complete: boolean; line: string; fields: string[] };
  /** The limit of the run, a sentence. */
  verdict: string;
  heaviest: HeaviestCalls | null;
  /** Where the ranks of a partial run ended; null: it is complete. */
  places: TableData | null;
  time: TimeData;
  efficiency: EfficiencyData;
  late: LateData;
  findings: FindingData[];
  /** Why there are no findings. */
  noFindings: string;
  next: { command: string; why: string }[];
  communicators: ShortTable;
  calls: ShortTable;
}

/** The calls that take most time: procedure, place, communicator. */
export interface HeaviestCalls {
  operation: string;
  communicator: string;
  /** '' = not known. */
  site: string;
  function: string;
  share: string;
  /** Name on the axis; '' = several sizes. */
  size: string;
  procedure: string;
  family: string;
}

export type PartName = "compute" | "waiting" | "transfer" | "files" | "unknown";

export interface TimeData {
  missing: string;
  title: string;
  wall: string;
  /** Between MPI_Init and MPI_Finalize; they add up to 100 %. Seconds: mean of the ranks. */
  parts: TimePart[];
  /** MPI_Init and MPI_Finalize; percent: by the time in between. */
  apart: { seconds: number; percent: number; time: string };
}

export interface TimePart {
  name: PartName;
  label: string;
  percent: number;
  seconds: number;
  text: string;
  time: string;
  meaning: string;
}

export interface EfficiencyData {
  missing: string;
  title?: string;
  text?: string;
  notes?: string[];
  tree?: EfficiencyNode;
}

/** A factor: the product of those below it. */
export interface EfficiencyNode {
  metric: string;
  label: string;
  value: number;
  text: string;
  /** It is based on an estimate. */
  between: [number, number] | null;
  meaning: string;
  formula: string;
  source: string;
  below: EfficiencyNode[];
}

export interface LateData {
  title: string;
  missing: string;
  /** The ranks that caused most of it; share: of all waiting. */
  rows: { rank: number; host: string; seconds: number; time: string; share: number; text: string }[];
  spread: string[];
  waiting: string[];
}

export interface FindingData {
  title: string;
  share: string;
  confidence: string;
  command: string;
  facts: [name: string, text: string][];
}

/** Rows that matter, and for each the filter value that selects it. */
export interface ShortTable {
  table: TableData;
  filter: "communicator" | "procedure";
  values: string[];
}
