import { expect, test } from "vitest";
import { type Cell, csvPieces } from "./files.ts";

test.each<[Cell, string]>([
  [0.1, "0.1"],
  [NaN, ""],
  [-3, "-3"],
  ["-", ""],
  ["Allreduce", "Allreduce"],
  ["a, b", '"a, b"'],
  ['say "a"', '"say ""a"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["-x", "'-x"],
  ["@sum(a,b)", `"'@sum(a,b)"`],
  ["\tx", "'\tx"],
])("the cell %j is written as %j", (cell, text) => {
  expect(csvPieces([[cell]])).toEqual([`${text}\r\n`]);
});

test("many rows are several pieces, and none is lost", () => {
  const rows = Array.from({ length: 20_001 }, (_, row) => [row, "x"]);
  const pieces = csvPieces(rows);
  expect(pieces.length).toBe(3);
  expect(pieces.join("").split("\r\n")).toEqual([...rows.map(([row]) => `${row},x`), ""]);
});
