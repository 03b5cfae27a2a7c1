import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import type { TimeLineData } from "./contract.ts";
import { phaseAt, ranksText, rowsOf, valueText } from "./model.ts";

/** Three ranks, two in a row, in intervals of two seconds: rank 1 starts after one second, rank 5 ends after two. */
const DATA = {
  begin: 0,
  width: 2,
  count: 2,
  together: 2,
  rank: Uint8Array.of(0, 1, 5),
  from: Float64Array.of(0, 1, 0),
  to: Float64Array.of(4, 4, 2),
  threads: Uint8Array.of(1, 2, 1),
  measures: {
    mpi: {
      levels: Float32Array.of(0, 50, 100),
      mean: Uint8Array.of(1, 2, 0, 0),
      most: Uint8Array.of(2, 2, 0, 0),
    },
    sent: { levels: null, mean: Float32Array.of(4, 8, 6, NaN), most: null },
  },
  phases: { begin: [0, 2], end: [2, 4] },
} as unknown as TimeLineData;
const RUN = { timeLine: DATA, axes: { hostOf: Uint8Array.of(1, 1, 0, 0, 0, 0) } } as unknown as RunData;

function chosen(...ranks: number[]): Selection {
  return {
    ranks: Uint8Array.from({ length: 6 }, (_, rank) => Number(ranks.includes(rank))),
  } as unknown as Selection;
}

test("rows are weighted with the time that their ranks were there", () => {
  const rows = rowsOf(RUN, chosen(0, 1, 5), "sent", false);
  expect(rows.ranks).toEqual([[0, 1], [5]]);
  expect([...rows.there]).toEqual([3, 4, 2, 0]);
  expect([...rows.overRows]).toEqual([(4 * 3 + 6 * 2) / 5, 8]);
  expect([...rows.overTime]).toEqual([(4 * 3 + 8 * 4) / 7, 6]);
  expect(rows.most).toBe(8);
});

test("time in MPI is that of all threads, its scale ends at 100 %, and 0 % is something", () => {
  const rows = rowsOf(RUN, chosen(0, 1, 5), "mpi", false);
  expect([...rows.there]).toEqual([4, 6, 2, 0]);
  expect([...rows.means]).toEqual([50, 100, 0, 0]);
  expect([rows.values[0], rows.values[2] > 0, rows.most]).toEqual([100, true, 100]);
});

test("a row is there with any of its ranks; by node, nodes are in order", () => {
  expect(rowsOf(RUN, chosen(1), "sent", false).ranks).toEqual([[0, 1]]);
  expect(rowsOf(RUN, chosen(0, 5), "sent", true).ranks).toEqual([[5], [0, 1]]);
  expect([...rowsOf(RUN, chosen(), "sent", false).overRows]).toEqual([NaN, NaN]);
});

test.each([
  [-1, -1],
  [0, 0],
  [1.9, 0],
  [2, 1],
  [4, -1],
])("second %d is in phase %d", (seconds, phase) => {
  expect(phaseAt(DATA, seconds)).toBe(phase);
});

test("values and ranks in words", () => {
  expect([ranksText([3]), ranksText([8, 9, 15])]).toEqual(["rank 3", "ranks 8-15"]);
  expect(valueText("mpi", 50)).toMatch(/^50.*%$/);
  expect(valueText("sent", 2048)).toBe("2.00 KiB/s");
  expect([0, 0.0001, 1.234, 12].map((value) => valueText("calls", value))).toEqual([
    "0/s",
    "<0.001/s",
    "1.23/s",
    "12/s",
  ]);
  expect(valueText("calls", NaN)).toBe("not there");
});
