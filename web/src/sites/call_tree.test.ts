import { expect, test } from "vitest";
import {
  callTrees,
  endText,
  frameText,
  isUnknown,
  rootKey,
  shareText,
  shownBranches,
  ways,
  withoutPath,
} from "./call_tree.ts";
import type { CallersData } from "./contract.ts";

const LINES: [level: number, frame: number, ends: string, percent: number][] = [
  [0, -1, "", 100],
  [1, 0, "", 60],
  [2, 3, "", 60],
  [3, 4, "", 60],
  [1, 1, "", 30],
  [2, 3, "", 30],
  [2, -1, "cut", 0],
  [1, -1, "unknown", 10],
  [0, -1, "", 100],
];
const shares = (error: number) => ({
  percent: Float32Array.from(LINES, ([, , , percent]) => percent),
  low: Float32Array.from(LINES, ([, , , percent]) => percent - error),
  high: Float32Array.from(LINES, ([, , , percent]) => percent + 2 * error),
});
/** A place with two callers and an unknown path; and a place without callers. */
const DATA = {
  site: Uint8Array.of(3, 7),
  procedure: Uint8Array.of(1, 2),
  frames: {
    name: ["solve.c:1", "norm.c:2", "lib.so+0x1", "step.c:3", "main.c:4"],
    function: ["solve", "norm", "", "step", "main"],
    file: ["/src/solve.c", "", "", "/src/step.c", "/src/main.c"],
  },
  lines: {
    level: Uint8Array.from(LINES, ([level]) => level),
    frame: Int32Array.from(LINES, ([, frame]) => frame),
    ends: LINES.map(([, , ends]) => ends),
    calls: shares(0),
    time: shares(1),
    samples: Uint8Array.from(LINES, (_, line) => line),
  },
} as unknown as CallersData;
const TREES = callTrees(DATA);

test("callers stand below what they call", () => {
  const texts = TREES.flatMap((tree) => shownBranches(tree, () => true)).map(
    ({ level, frame, ends, time }) => `${level} ${frame} ${ends} ${time.percent}`,
  );
  expect(texts).toEqual(LINES.map(([level, frame, ends, percent]) => `${level} ${frame} ${ends} ${percent}`));
  expect(TREES.map(({ key }) => key)).toEqual([rootKey(3, 1), rootKey(7, 2)]);
  const keys = TREES.flatMap((tree) => shownBranches(tree, () => true)).map(({ key }) => key);
  expect(new Set(keys).size).toBe(LINES.length);
});

test("a place opens to its callers, and to the way with the most time", () => {
  const shown = shownBranches(TREES[0], (branch) => !branch.level || branch.open);
  expect(shown.map(({ frame }) => frame)).toEqual([-1, 0, 3, 4, 1, -1]);
  expect(shownBranches(TREES[0], () => false)).toEqual([TREES[0]]);
});

test("what an opened caller alone comes through is open, too", () => {
  const [, norm] = TREES[0].callers;
  expect(norm.open).toBe(false);
  expect(norm.callers.map(({ open }) => open)).toEqual([false, false]);
  const [solve] = TREES[0].callers;
  expect(solve.callers[0].open).toBe(true);
});

test("ways lead from a place to each of its callers", () => {
  expect(ways(TREES[0]).map((way) => way.map(({ frame }) => frame))).toEqual([
    [-1],
    [-1, 0],
    [-1, 0, 3],
    [-1, 0, 3, 4],
    [-1, 1],
    [-1, 1, 3],
    [-1, 1, -1],
    [-1, -1],
  ]);
});

test("shares have the larger half of their interval, never 0, unless they are exact", () => {
  const plain = (percent: number, low: number, high: number) =>
    shareText({ percent, low, high }).replaceAll("\u00a0", " ");
  expect(plain(60.2, 59, 61.6)).toBe("60.2 ± 1.4 %");
  expect(plain(88, 66, 110)).toBe("88.0 (66.0 to 100.0) %");
  expect(plain(0.3, 0, 2.1)).toBe("0.3 (0.0 to 2.1) %");
  expect(plain(100, 99.99, 100)).toBe("100.0 (99.9 to 100.0) %");
  expect(plain(60.2, 60.2, 60.2)).toBe("60.2 %");
});

test("ends say why there is no caller", () => {
  expect(["cut", "unknown", "damaged"].map(isUnknown)).toEqual([true, true, true]);
  expect(["whole", "more", "python"].map(isUnknown)).toEqual([false, false, false]);
  expect(endText("more")[0]).not.toBe(endText("whole")[0]);
});

test("callers are named by function and line, as far as these are known", () => {
  expect([0, 1, 2].map((frame) => frameText(DATA.frames, frame))).toEqual([
    "solve, solve.c:1",
    "norm",
    "lib.so+0x1",
  ]);
});

test("a place without a path has no callers, and its numbers are its own", () => {
  const { callers, samples, time } = withoutPath("1 2");
  expect([callers, samples, shareText(time)]).toEqual([[], 0, "100.0 %"]);
});
