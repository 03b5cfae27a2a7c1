import { expect, test } from "vitest";
import type { TableCell, TableData } from "../ui/data.ts";
import { choices, EVERYTHING, fromAddress, isKept, kept, toAddress } from "./filter.ts";

const column = (name: string, choice: boolean) => ({
  name,
  meaning: "",
  right: false,
  unit: "",
  ...(choice ? { choice: true as const } : {}),
});
const cell = (text: string): TableCell => [text, text];
const CALLS: TableData = {
  title: "By communicator and call",
  columns: [column("communicator", true), column("call", true), column("time", false)],
  rows: [
    [cell('W_s1 "row"'), cell("Alltoall"), ["2 s", 2]],
    [cell("W"), cell("Allreduce"), ["1 s", 1]],
    [cell("W"), cell("Bcast"), ["9 s", 9]],
  ],
  sums: [],
  empty: "",
  notes: [],
};
const RANKS: TableData = {
  ...CALLS,
  columns: [column("ranks", true)],
  rows: [[["16.4 k", 16384]], [["64", 64]], [["-", null]]],
};
const filter = (values: Record<string, string>, text = "") => ({
  text,
  values: new Map(Object.entries(values)),
});
const series = (about: Record<string, string>, name = "") => ({
  name,
  kind: "line" as const,
  points: [],
  about,
});

test("the choices are values of all tables, numbers in ascending order, and no missing ones", () => {
  expect(choices([CALLS, RANKS, CALLS])).toEqual([
    {
      column: "communicator",
      options: [
        { value: 'W_s1 "row"', text: 'W_s1 "row"' },
        { value: "W", text: "W" },
      ],
    },
    {
      column: "call",
      options: ["Alltoall", "Allreduce", "Bcast"].map((name) => ({ value: name, text: name })),
    },
    {
      column: "ranks",
      options: [
        { value: "64", text: "64" },
        { value: "16384", text: "16.4 k" },
      ],
    },
  ]);
});

test("rows have all values and the text", () => {
  const of = (...given: Parameters<typeof filter>) =>
    kept(CALLS, filter(...given)).rows.map(([, [call]]) => call);
  expect(kept(CALLS, EVERYTHING).rows).toEqual(CALLS.rows);
  expect(of({ communicator: "W" })).toEqual(["Allreduce", "Bcast"]);
  expect(of({ communicator: "W_s1" })).toEqual(["Alltoall"]);
  expect(of({ communicator: "W", call: "Bcast" })).toEqual(["Bcast"]);
  expect(of({}, " ROW")).toEqual(["Alltoall"]);
  expect(of({ communicator: "W" }, "row")).toEqual([]);
  expect(kept(RANKS, filter({ ranks: "16384" })).rows).toEqual([RANKS.rows[0]]);
});

test("a table without a column is not filtered by it, and this is known", () => {
  const { rows, missing } = kept(RANKS, filter({ call: "Bcast" }));
  expect(rows).toEqual(RANKS.rows);
  expect(missing).toEqual(["call"]);
  const whole = { ...RANKS, columns: [column("ranks", false)] };
  expect(kept(whole, filter({ call: "Bcast" })).missing).toEqual([]);
});

test("series are filtered as rows are, but none on the whole run", () => {
  expect(isKept(series({}, "ideal"), filter({ call: "Bcast" }, "x"))).toBe(true);
  expect(isKept(series({ communicator: "W", call: "Bcast" }), filter({ call: "Bcast" }))).toBe(true);
  expect(isKept(series({ communicator: "W", call: "Bcast" }), filter({ communicator: "V" }))).toBe(false);
  expect(isKept(series({ region: "solve/halo" }), filter({ region: "solve/" }))).toBe(true);
  expect(isKept(series({ region: "solver" }), filter({ region: "solve/" }))).toBe(false);
  expect(isKept(series({ call: "Bcast" }, "Bcast on W"), filter({}, "all"))).toBe(false);
});

test("a filter survives its address; foreign names do not", () => {
  const one = filter({ communicator: 'W_s1 "a&b"', call: "Bcast" }, "x=1");
  expect(fromAddress(`#${toAddress(one)}`, choices([CALLS]))).toEqual(one);
  expect(fromAddress("#colour=red&call=", choices([CALLS]))).toEqual(EVERYTHING);
  expect(toAddress(EVERYTHING)).toBe("");
});
