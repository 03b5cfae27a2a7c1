/** What the page Call sites holds: filled by python/rankwise/render/page/contents/parts/sites.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    sites?: SitesData;
  }
}

export interface SitesData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
  /** Programs and libraries that call MPI. */
  libraries: { name: string[]; isProgram: Numbers };
  /** Of each site of the axis: index into the libraries. */
  libraryOf: Numbers;
  /** '' = not known, as in the next two. */
  function: string[];
  /** Of the source. */
  file: string[];
  /** Of the program or library. */
  path: string[];
  /** Why lines are not known, and what cures it; '' = all are. */
  hint: string;
  callers: CallersData;
}

/** Who calls the places that call MPI: a tree for each place and procedure, all estimated from a sample of the calls. */
export interface CallersData {
  /** In place of the trees: why there are none, and what cures it; '' = there are. */
  missing: string;
  /** Of each tree: the place, and the procedure that it calls, as indices of the axes. */
  site: Numbers;
  procedure: Numbers;
  /** Who calls it, in a word: index into the frames, or -1, and the share of the time of the tree. */
  caller: Numbers;
  callerTime: SharesData;
  frames: FramesData;
  /** Of all trees, one after the other: each place, and below it its callers, depth first. */
  lines: {
    /** 0: the place. */
    level: Numbers;
    /** Where the caller calls; -1: there is none, as `ends` says. */
    frame: Numbers;
    /** whole, more, cut, python, unknown, as in python/rankwise/analysis/calls/paths.py. */
    ends: string[];
    calls: SharesData;
    time: SharesData;
    /** Calls in the sample. */
    samples: Numbers;
  };
}

/** Calls of functions that lead to those of MPI. */
export interface FramesData {
  /** File and line, else the place in the program or library. */
  name: string[];
  /** '' = not known, as in the next one. */
  function: string[];
  /** Of the source. */
  file: string[];
  /** Of the program or library. */
  path: string[];
  library: string[];
  isProgram: Numbers;
}

/** Of what the place has, in percent, with 95 % intervals; without one where all calls are in the sample. */
export interface SharesData {
  percent: Numbers;
  low: Numbers;
  high: Numbers;
}
