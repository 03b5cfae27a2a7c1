import { expect, test } from "vitest";
import {
  byteText,
  changeText,
  countOf,
  countText,
  percentText,
  ratioText,
  secondText,
  secondTexts,
} from "./units.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.00 KiB"],
  [1023 * 1024, "0.999 MiB"],
  [2.5 * 2 ** 20, "2.50 MiB"],
  [2 ** 60, "1.00 EiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(byteText(bytes)).toBe(text);
});

test.each([
  [-1, "0 s"],
  [0, "0 s"],
  [1e-9, "1.00 ns"],
  [9.996e-7, "1.00 us"],
  [0.02, "20.0 ms"],
  [0.9996, "1.00 s"],
  [123.4, "123 s"],
])("%d seconds are %s", (seconds, text) => {
  expect(secondText(seconds)).toBe(text);
});

test("times have as many digits as tell them apart", () => {
  expect(secondTexts([1, 2])).toEqual(["1.00 s", "2.00 s"]);
  expect(secondTexts([1.0001, 1.0002])).toEqual(["1.0001 s", "1.0002 s"]);
  expect(secondTexts([1, 1])).toEqual(["1.00 s", "1.00 s"]);
});

test("counts, shares and differences", () => {
  expect([3, 1.25, 9999, 10_000, 2_500_000].map(countText)).toEqual(["3", "1.3", "9999", "10.0 k", "2.50 M"]);
  expect([countOf(1, "link"), countOf(2000, "link"), countOf(2, "box", "boxes")]).toEqual([
    "1 link",
    "2,000 links",
    "2 boxes",
  ]);
  expect([0, 0.0001, 0.0005, 1].map(percentText)).toEqual(["0.0 %", "<0.1 %", "0.1 %", "100.0 %"]);
  expect([1.28, 10.4].map(ratioText)).toEqual(["1.28", "10"]);
  expect([0, 0.5, -0.5].map(changeText)).toEqual(["0", "+500 ms", "-500 ms"]);
});
