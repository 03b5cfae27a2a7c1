/**
 * The content of a report: written by python/rankwise/render/page/report.py. The members of a run here are shared by
 * all pages. Each page declares its further data in its own contract, as a part of `RunData`; the files of
 * python/rankwise/render/page/contents/parts/ fill them.
 */
import type { Numbers } from "./ui/data.ts";
import type { ComparisonData } from "./comparison/contract.ts";
import type { SheetData } from "./runs/contract.ts";

export interface Report {
  format: 2;
  /** The title of the window. */
  title: string;
  runs: RunData[];
  /** The comparison of two sides of runs. */
  comparison?: ComparisonData;
  /** The comparison of any number of sides, each with a name. */
  sides?: SheetData;
}

/** A profile. */
export interface RunData {
  /** Of the file. */
  name: string;
  /** The program that was run. */
  title: string;
  /** Below the title, a sentence. */
  lead: string;
  about: string[];
  warnings: string[];
  axes: Axes;
  cells: Cells;
}

/** The axes of all numbers. Texts are shown as they are. */
export interface Axes {
  /** Of MPI_COMM_WORLD. */
  ranks: number;
  hosts: string[];
  /** Index into hosts of each rank; the number of hosts: not known. */
  hostOf: Numbers;
  communicators: {
    /** Whether each communicator is distinguished; else families of communicators that were made in the same way. */
    each: boolean;
    name: string[];
    /** With the name from the program. */
    label: string[];
    family: string[];
    /** Index of its origin; -1: none. */
    parent: Numbers;
  };
  procedures: {
    /** Without MPI_. */
    name: string[];
    class: string[];
    /** 1: MPI_Init and MPI_Finalize, which are excluded from all sums and shares. */
    apart: Numbers;
  };
  /** Size bins in ascending order: `0 B`, `1 B`, `2-3 B`, ... */
  sizes: string[];
  /** Paths; parent: index of the enclosing region, -1: none. */
  regions: { name: string[]; parent: Numbers };
  /** Places that call MPI, each with a unique name. The first one: not known. */
  sites: string[];
}

/** All calls of a run, N rows that differ in at least one of the first six columns, which are indices into the axes. */
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
  /** Calls that never returned: not in `calls`; `seconds` reach to the end of their ranks. */
  unfinished: Numbers;
}
