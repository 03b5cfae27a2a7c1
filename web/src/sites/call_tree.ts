/** The callers of the places that call MPI, as trees: each place, below it its callers, and below those theirs. */
import { percentText } from "../units.ts";
import type { CallersData, FramesData, SharesData } from "./contract.ts";

/** In percent, with a 95 % interval. */
export interface Share {
  percent: number;
  low: number;
  high: number;
}

/** A place and its call, or a caller of it. */
export interface Branch {
  /** Its unique key. */
  key: string;
  /** 0: the place itself. */
  level: number;
  /** Index of the frame; -1: a place, or an end. */
  frame: number;
  /** Why there is no frame; '' = there is one, or it is the place. */
  ends: string;
  /** Shares of the calls, and of the time, of the procedure at the place. */
  calls: Share;
  time: Share;
  /** Calls in the sample. */
  samples: number;
  callers: Branch[];
  /** Whether its callers are shown at first, as soon as it is shown itself. */
  open: boolean;
}

/** The trees of a run, in the order of the data. */
export function callTrees(data: CallersData): Branch[] {
  const { level, frame, ends, calls, time, samples } = data.lines;
  const trees: Branch[] = [];
  /** The last branch of each level. */
  const above: Branch[] = [];
  level.forEach((at, line) => {
    const inside = at ? above[at - 1].callers : trees;
    const branch: Branch = {
      key: at
        ? `${above[at - 1].key}/${inside.length}`
        : rootKey(data.site[trees.length], data.procedure[trees.length]),
      level: at,
      frame: frame[line],
      ends: ends[line],
      calls: shareAt(calls, line),
      time: shareAt(time, line),
      samples: samples[line],
      callers: [],
      open: false,
    };
    inside.push(branch);
    above[at] = branch;
  });
  for (const tree of trees) openAtFirst(tree);
  return trees;
}

export function rootKey(site: number, procedure: number): string {
  return `${site} ${procedure}`;
}

export function shareAt({ percent, low, high }: SharesData, at: number): Share {
  return { percent: percent[at], low: low[at], high: high[at] };
}

/** Open the path with the most time below a branch, and all paths with a single caller. */
function openAtFirst(branch: Branch): void {
  branch.callers.forEach((caller, place) => {
    const onTheWay = place === 0 && (branch.open || !branch.level);
    caller.open = onTheWay || branch.callers.length === 1;
    openAtFirst(caller);
  });
}

/** A place whose calls are all outside the sample. */
export function withoutPath(key: string): Branch {
  const all = { percent: 100, low: 100, high: 100 };
  return { key, level: 0, frame: -1, ends: "", calls: all, time: all, samples: 0, callers: [], open: false };
}

/** A branch and all below it from top to bottom, without the lines below closed ones. */
export function shownBranches(branch: Branch, isOpen: (branch: Branch) => boolean): Branch[] {
  if (!isOpen(branch)) return [branch];
  return [branch, ...branch.callers.flatMap((caller) => shownBranches(caller, isOpen))];
}

/** A branch and all below it, each with its path of callees, from the inside out: it is the last one itself. */
export function ways(branch: Branch, before: readonly Branch[] = []): Branch[][] {
  const way = [...before, branch];
  return [way, ...branch.callers.flatMap((caller) => ways(caller, way))];
}

/**
 * `60.2 ± 1.3 %`, or `98.7 (95.2 to 99.9) %` where 0 or 100 is within the error, which is never 0: as
 * share_error_text of python/rankwise/text/units.py has it.
 */
export function shareText(share: Share): string {
  const { percent, low, high } = share;
  if (errorOf(share) <= 0) return percentText(percent / 100);
  const error = Math.max(errorOf(share), LEAST_ERROR);
  const inside = error <= percent && percent <= 100 - error;
  const ends = [
    Math.max(Math.min(low, percent - LEAST_ERROR), 0),
    Math.min(Math.max(high, percent + LEAST_ERROR), 100),
  ];
  const errorText = inside
    ? `±\u00a0${error.toFixed(1)}`
    : `(${ends.map((end) => end.toFixed(1)).join(" to ")})`;
  return `${percent.toFixed(1)} ${errorText}\u00a0%`;
}

const LEAST_ERROR = 0.1; // percent

/** The larger half of the interval; 0: all calls are in the sample. */
export function errorOf({ percent, low, high }: Share): number {
  return Math.max(high - percent, percent - low);
}

const UNKNOWN = "not known";
const ENDS: Record<string, [name: string, why: string]> = {
  whole: ["begins here", "the program or one of its threads starts with the function above"],
  more: ["further callers", "not kept: the path is at its maximum length"],
  cut: [UNKNOWN, "the stack could not be followed further"],
  python: ["Python", "the interpreter calls the function above; its own functions are not followed"],
  unknown: [UNKNOWN, "no memory was left for the path"],
};

/** Whether there may be further callers beyond the end of a path. */
export function isUnknown(ends: string): boolean {
  return endText(ends)[0] === UNKNOWN;
}

/** The text in place of a caller, and the reason. */
export function endText(ends: string): [name: string, why: string] {
  return ENDS[ends] ?? [UNKNOWN, ""];
}

/** The calling function, or else the place of the call. */
export function frameName({ function: functions, name }: FramesData, frame: number): string {
  return functions[frame] || name[frame];
}

/** `solve, solver.c:12`, as place_text of python/rankwise/text/paths.py has it. */
export function frameText({ function: functions, name, file }: FramesData, frame: number): string {
  return functions[frame] && file[frame]
    ? `${functions[frame]}, ${name[frame]}`
    : functions[frame] || name[frame];
}
