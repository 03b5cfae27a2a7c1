import { expect, test } from "vitest";
import { inOrder } from "./order.ts";

test("numbers are sorted as numbers, equal ones stay, and unknown ones are last", () => {
  const values = [10, null, 9, 100, 9];
  expect(inOrder(values, false)).toEqual([2, 4, 0, 3, 1]);
  expect(inOrder(values, true)).toEqual([3, 0, 2, 4, 1]);
});

test("texts are sorted as texts", () => {
  expect(inOrder(["vasp", "cp2k", null, "icon"], false)).toEqual([1, 3, 0, 2]);
});
