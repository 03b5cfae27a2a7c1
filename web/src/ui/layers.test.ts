import { expect, test } from "vitest";
import { layerFor, layersOf } from "./layers.ts";

test("a coarser layer has the worst of the cells below it", () => {
  const side = 1024;
  const weights = new Float32Array(side * side).fill(NaN);
  const worst = 701 * side + 300;
  weights[700 * side + 300] = 1;
  weights[worst] = 2;
  const layers = layersOf(weights, side, side);
  expect(layers.map(({ rows, block }) => [rows, block])).toEqual([
    [1024, 1],
    [512, 2],
  ]);
  const at = 350 * 512 + 150;
  expect([layers[1].weights[at], layers[1].cells?.[at]]).toEqual([2, worst]);
  expect(layers[1].weights[0]).toBeNaN();
  expect([0.5, 1, 2, 9].map((pixel) => layerFor(layers, pixel).block)).toEqual([1, 1, 2, 2]);
});
