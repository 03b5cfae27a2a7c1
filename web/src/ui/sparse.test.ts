import { expect, test } from "vitest";
import { cellAt, rowOf, SparsePixels } from "./sparse.ts";

/** Three rows: columns 1 and 3, none, column 0. */
const SPARSE = { start: Uint32Array.of(0, 2, 2, 3), column: Uint32Array.of(1, 3, 0) };

test("cells by their places, and rows of cells", () => {
  expect([cellAt(SPARSE, 0, 1), cellAt(SPARSE, 0, 3), cellAt(SPARSE, 2, 0)]).toEqual([0, 1, 2]);
  expect([cellAt(SPARSE, 0, 0), cellAt(SPARSE, 1, 1), cellAt(SPARSE, 2, 1)]).toEqual([-1, -1, -1]);
  expect([0, 1, 2].map((cell) => rowOf(SPARSE, cell))).toEqual([0, 0, 2]);
});

test("of cells that share a pixel the largest is shown", () => {
  const pixels = new SparsePixels(SPARSE, Float32Array.of(1, 5, 3), Uint32Array.of(10, 50, 30));
  const painted = new Uint32Array(4);
  // Two cells a pixel.
  const pitch = { offset: 0, pitch: 0.5, pixels: 2 };
  pixels.paint(painted, pitch, pitch, 7);
  expect([...painted]).toEqual([10, 50, 30, 7]);
  expect([pixels.at(1, 0), pixels.at(0, 1), pixels.at(1, 1), pixels.at(2, 0)]).toEqual([1, 2, -1, -1]);
  // All columns in one pixel.
  const one = new Uint32Array(2);
  pixels.paint(one, { offset: 0, pitch: 0.25, pixels: 1 }, pitch, 7);
  expect([...one]).toEqual([50, 30]);
});
