import { expect, test } from "vitest";
import type { TableData } from "./data.ts";
import { inOrder, type Sorted, tableLines } from "./table.ts";

interface Row {
  name: string;
  seconds: number | null;
}

const COLUMNS = [
  { name: "name", value: ({ name }: Row) => name },
  { name: "time", value: ({ seconds }: Row) => seconds },
];
const ROWS: Row[] = [
  { name: "rank 10", seconds: null },
  { name: "rank 9", seconds: 2 },
  { name: "rank 1", seconds: 10 },
  { name: "rank 2", seconds: 2 },
];

test.each<[Sorted, string[]]>([
  [{ by: "", descending: true }, ["rank 10", "rank 9", "rank 1", "rank 2"]],
  [{ by: "nix", descending: false }, ["rank 10", "rank 9", "rank 1", "rank 2"]],
  // Numbers in names by their value.
  [{ by: "name", descending: false }, ["rank 1", "rank 2", "rank 9", "rank 10"]],
  [{ by: "name", descending: true }, ["rank 10", "rank 9", "rank 2", "rank 1"]],
  // Equal ones in the given order, and rows without a value last in any order.
  [{ by: "time", descending: true }, ["rank 1", "rank 9", "rank 2", "rank 10"]],
  [{ by: "time", descending: false }, ["rank 9", "rank 2", "rank 1", "rank 10"]],
])("by %j", (sorted, names) => {
  expect(inOrder(COLUMNS, ROWS, sorted).map(({ name }) => name)).toEqual(names);
  expect(ROWS[0].name).toBe("rank 10");
});

test("a file has units in its heads, and values with all their digits", () => {
  const column = (name: string, unit: string) => ({ name, unit, meaning: "", right: true });
  const data: TableData = {
    title: "",
    columns: [column("call", ""), column("time", "s"), column("% of MPI", "%"), column("calls/s", "1/s")],
    rows: [
      [
        ["Send", null],
        ["1.50 s", 1.50001],
        ["-", null],
        ["0", 0],
      ],
    ],
    sums: [],
    empty: "",
    notes: [],
  };
  expect(tableLines(data)).toEqual([
    ["call", "time (s)", "% of MPI", "calls/s"],
    ["Send", 1.50001, "-", 0],
  ]);
});
