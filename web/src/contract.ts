/**
 * What a report holds: written by python/rankwise/render/page/report.py. What stands here of a
 * run is what all pages share. Each page declares beside itself what else it needs, as a part of `RunData`; the files of
 * python/rankwise/render/page/contents/parts/ fill them.
 */
import type { Numbers } from "./ui/data.ts";
import type { ComparisonData } from "./comparison/contract.ts";

export interface Report {
  format: 2;
  /** Of the window. */
  title: string;
  runs: RunData[];
  /** Of two sides of runs. */
  comparison?: ComparisonData;
}

/** A profile. */
export interface RunData {
  /** Of the file. */
  name: string;
  /** What ran. */
  title: string;
  /** Below the title, a sentence. */
  lead: string;
  about: string[];
  warnings: string[];
  axes: Axes;
  cells: Cells;
}

/** What numbers are told apart by. Texts are shown as they are. */
export interface Axes {
  /** Of MPI_COMM_WORLD. */
  ranks: number;
  hosts: string[];
  /** Index into hosts of each rank; their number: not known. */
  hostOf: Numbers;
  communicators: {
    /** Whether each one is told apart; else families of communicators that were made alike. */
    each: boolean;
    name: string[];
    /** With the name that the program gave it. */
    label: string[];
    family: string[];
    /** Index of what it was made from; -1: none. */
    parent: Numbers;
  };
  procedures: {
    /** Without MPI_. */
    name: string[];
    class: string[];
    /** 1: MPI_Init and MPI_Finalize, which are in no sum and in no share of the others. */
    apart: Numbers;
  };
  /** Size bins in ascending order: `0 B`, `1 B`, `2-3 B`, ... */
  sizes: string[];
  /** Paths; parent: index of the enclosing region, -1: none. */
  regions: { name: string[]; parent: Numbers };
  /** Places that call MPI, each with a name of its own. The first one: not known. */
  sites: string[];
}

/** All calls of a run, N rows that differ in one of the first six columns, which are indices into the axes. */
export interface Cells {
  /** Ranks r with the same r / together are one: rank is that number. */
  together: number;
  procedure: Numbers;
  communicator: Numbers;
  region: Numbers;
  size: Numbers;
  site: Numbers;
  rank: Numbers;
  calls: Numbers;
  /** Bytes. */
  sent: Numbers;
  received: Numbers;
  seconds: Numbers;
  /** Calls that never returned: not in `calls`, and in `seconds` up to the end of their ranks. */
  unfinished: Numbers;
}
