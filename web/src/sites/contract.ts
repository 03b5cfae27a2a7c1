/** The data of the page Call sites: written by python/rankwise/render/page/contents/parts/sites.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    sites?: SitesData;
  }
}

export interface SitesData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data. */
  missing: string;
  /** Programs and libraries that call MPI. */
  libraries: { name: string[]; isProgram: Numbers };
  /** Of each site of the axis: index into the libraries. */
  libraryOf: Numbers;
  /** '' = not known; also for the next two. */
  function: string[];
  /** Of the source. */
  file: string[];
  /** Of the program or library. */
  path: string[];
  /** Why lines are not known, and the remedy; '' = all are known. */
  hint: string;
  callers: CallersData;
}

/**
 * The callers of the places that call MPI: a tree for each place and procedure, all estimated from a sample of the
 * calls.
 */
export interface CallersData {
  /** Replaces the trees: why there are no trees, and the remedy; '' = there are trees. */
  missing: string;
  /** Of each tree: the place, and the procedure that it calls, as indices of the axes. */
  site: Numbers;
  procedure: Numbers;
  /** Its callers, in a word: index into the frames, or -1, and the share of the time of the tree. */
  caller: Numbers;
  callerTime: SharesData;
  frames: FramesData;
  /** All trees, one after the other: each place, and below it its callers, depth first. */
  lines: {
    /** 0: the place. */
    level: Numbers;
    /** Where the caller calls; -1: none, for the reason in `ends`. */
    frame: Numbers;
    /** whole, more, cut, python, unknown, as in python/rankwise/analysis/calls/paths.py. */
    ends: string[];
    calls: SharesData;
    time: SharesData;
    /** Calls in the sample. */
    samples: Numbers;
  };
}

/** Calls of functions that lead to MPI calls. */
export interface FramesData {
  /** File and line, else the place in the program or library. */
  name: string[];
  /** '' = not known; also for the next one. */
  function: string[];
  /** Of the source. */
  file: string[];
  /** Of the program or library. */
  path: string[];
  library: string[];
  isProgram: Numbers;
}

/** Shares of the place's total, in percent, with 95 % intervals; without one if all calls are in the sample. */
export interface SharesData {
  percent: Numbers;
  low: Numbers;
  high: Numbers;
}
