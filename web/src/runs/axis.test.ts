import { expect, test } from "vitest";
import { axisOf } from "./axis.ts";

const PLAIN = { name: "", unit: "s", logarithmic: false, fromZero: true, labels: [] };

test("times begin at zero", () => {
  const axis = axisOf(PLAIN, [2, 4], [0, 400]);
  expect(axis.place(0)).toBe(0);
  expect(axis.place(4)).toBeLessThanOrEqual(400);
  expect(axis.ticks[0]).toEqual([0, "0 s"]);
});

test("a scatter of large values fills its axis", () => {
  const axis = axisOf({ ...PLAIN, fromZero: false }, [100, 101], [0, 400]);
  expect(axis.place(101) - axis.place(100)).toBeGreaterThan(200);
});

test("a logarithmic axis has equal steps for equal factors, and takes values of zero", () => {
  const axis = axisOf({ ...PLAIN, unit: "", logarithmic: true }, [0, 2, 8, 32], [0, 400]);
  expect(axis.place(8) - axis.place(2)).toBeCloseTo(axis.place(32) - axis.place(8));
});

test("names of values are the ticks, as many as there is room for", () => {
  const labels = Array.from({ length: 40 }, (_, place): [number, string] => [place, `commit ${place}`]);
  const values = labels.map(([value]) => value);
  const axis = axisOf({ ...PLAIN, labels }, values, [0, 400]);
  expect(axis.ticks.length).toBeLessThanOrEqual(6);
  expect(axis.ticks[0]).toEqual([0, "commit 0"]);
  expect(axis.place(0)).toBeGreaterThan(0);
});

test("nothing, one value and equal values give an axis", () => {
  for (const values of [[], [3], [5, 5], [0]])
    for (const changed of [{}, { logarithmic: true }, { fromZero: false }])
      expect(axisOf({ ...PLAIN, ...changed }, values, [0, 400]).place(values[0] || 1)).not.toBeNaN();
});
