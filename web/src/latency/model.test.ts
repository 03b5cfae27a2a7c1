import { expect, test } from "vitest";
import type { LatencyData, ViewData } from "./contract.ts";
import {
  cellOf,
  heightBy,
  heights,
  isOwn,
  MISSING,
  Model,
  pairAt,
  slower,
  valueAt,
  worstCell,
} from "./model.ts";

/** Three places; the last two were not measured with each other. */
const TRIANGLE = {
  statistic: "median",
  size: 8,
  smallest: false,
  fast: 1,
  slow: 100,
  matrix: {
    symmetric: true,
    together: 1,
    cells: 3,
    values: Float32Array.of(NaN, 1, 10, NaN, NaN, NaN),
    where: null,
  },
} as unknown as ViewData;
/** Five places, two in a cell, with directions; small values are the bad ones. */
const BLOCKS = {
  ...TRIANGLE,
  smallest: true,
  matrix: {
    symmetric: false,
    together: 2,
    cells: 3,
    values: Float32Array.of(9, 8, 7, 6, 5, 4, 3, 2, NaN),
    where: Uint8Array.of(1, 2, 0, 3, 1, 2, 1, 0, 0),
  },
} as unknown as ViewData;

test("of a triangle both halves are the same", () => {
  expect([valueAt(TRIANGLE, { row: 0, column: 2 }), valueAt(TRIANGLE, { row: 2, column: 0 })]).toEqual([
    10, 10,
  ]);
  expect(valueAt(TRIANGLE, { row: 1, column: 2 })).toBeNaN();
  expect(pairAt(TRIANGLE, { row: 2, column: 0 }, 3)).toEqual([2, 0]);
});

test("a cell of several pairs names the worst of them", () => {
  expect(pairAt(BLOCKS, { row: 0, column: 1 }, 5)).toEqual([1, 2]);
  expect(pairAt(BLOCKS, { row: 1, column: 0 }, 5)).toEqual([3, 1]);
  // The last cell has one place.
  expect(pairAt(BLOCKS, { row: 2, column: 0 }, 5)).toEqual([4, 1]);
  expect(cellOf(BLOCKS, [4, 1])).toEqual({ row: 2, column: 0 });
  expect([0, 2].map((row) => isOwn(BLOCKS, { row, column: row }, 5))).toEqual([false, true]);
});

test("heights go from fast to slow, and further", () => {
  expect([0.1, 1, 10, 100, 10_000].map(heightBy(TRIANGLE, true))).toEqual([0, 0, 0.5, 1, 2]);
  expect([0, 1, 50.5, 199].map(heightBy(TRIANGLE, false))).toEqual([0, 0, 0.5, 2]);
  const own = NaN;
  expect([...heights(TRIANGLE, true, 3)]).toEqual([own, 0, 0.5, 0, own, MISSING, 0.5, MISSING, own]);
});

test("the worst is the largest latency, and the smallest bandwidth", () => {
  expect(worstCell(TRIANGLE)).toEqual({ row: 0, column: 2 });
  expect(worstCell(BLOCKS)).toEqual({ row: 2, column: 1 });
  expect([slower(TRIANGLE, 10, 2), slower(BLOCKS, 2, 10)]).toEqual([5, 5]);
  const none = { ...TRIANGLE, matrix: { ...TRIANGLE.matrix, values: new Float32Array(6).fill(NaN) } };
  expect(worstCell(none)).toBeNull();
});

test("places have names, and levels at which they meet", () => {
  const model = new Model({
    ranks: Uint8Array.of(4, 0, 7),
    hosts: ["a.example", "b.example"],
    shortHosts: ["a", "b"],
    hostOf: Uint8Array.of(0, 0, 1),
    levels: [Uint8Array.of(0, 1, 2), Uint8Array.of(0, 0, 1)],
    classes: ["socket", "node", "network"],
    views: [TRIANGLE],
  } as unknown as LatencyData);
  expect([model.size, model.host(2), model.name(0)]).toEqual([3, "b.example", "a 4"]);
  expect([model.level(0, 0), model.level(0, 1), model.level(1, 2)]).toEqual([0, 1, 2]);
  expect([model.find("median", 8), model.find("median", 9)]).toEqual([0, -1]);
});
