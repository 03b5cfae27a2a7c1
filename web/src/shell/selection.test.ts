import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import { calledProcedures, familiesOf, ranksOf, Selection } from "./selection.ts";
import { EVERYTHING, type Filter } from "./state.ts";

/** Four ranks on two nodes. Seconds are powers of two, so that a sum identifies its cells. */
const RUN = {
  name: "a.rankwise",
  axes: {
    ranks: 4,
    hosts: ["nodea", "nodeb"],
    hostOf: Uint8Array.of(0, 0, 1, 1),
    communicators: {
      each: true,
      name: ["W", "W_a1.0", "W_a1.1"],
      label: ["W", "W_a1.0", "W_a1.1"],
      family: ["W", "W_a1", "W_a1"],
      parent: Int8Array.of(-1, 0, 0),
    },
    procedures: {
      name: ["Init", "Allreduce", "Send", "Testany"],
      class: ["", "", "", ""],
      apart: Uint8Array.of(1, 0, 0, 0),
    },
    sizes: ["0 B", "1 B", "2-3 B"],
    regions: { name: ["outside of regions", "solve"], parent: Int8Array.of(-1, -1) },
    sites: ["not known", "lib+0x30"],
  },
  cells: {
    together: 1,
    procedure: Uint8Array.of(0, 1, 1, 2, 2, 2),
    communicator: Uint8Array.of(0, 0, 1, 2, 0, 2),
    region: Uint8Array.of(0, 0, 1, 1, 0, 1),
    size: Uint8Array.of(0, 1, 1, 2, 0, 2),
    site: Uint8Array.of(0, 0, 1, 0, 1, 1),
    rank: Uint8Array.of(0, 0, 1, 2, 3, 3),
    calls: Uint8Array.of(1, 1, 1, 1, 1, 2),
    sent: Uint8Array.of(0, 1, 1, 2, 0, 4),
    received: Uint8Array.of(0, 1, 1, 0, 0, 0),
    seconds: Float64Array.of(64, 1, 2, 4, 8, 16),
    unfinished: Uint8Array.of(0, 0, 0, 0, 0, 1),
  },
} as unknown as RunData;

function chosen(filter: Partial<Filter>): Selection {
  return new Selection(RUN, { ...EVERYTHING, ...filter });
}

test.each<[Partial<Filter>, number]>([
  [{}, 31],
  [{ communicator: "W" }, 9],
  [{ communicator: "W_a1" }, 22],
  [{ communicator: "W_a1.1" }, 20],
  [{ procedure: "Send" }, 28],
  [{ sizeFrom: "1 B" }, 23],
  [{ sizeTo: "1 B" }, 11],
  [{ sizeFrom: "1 B", sizeTo: "1 B" }, 3],
  [{ ranks: "0-2" }, 7],
  [{ ranks: "1,3" }, 26],
  [{ node: "nodeb" }, 28],
  [{ node: "nodeb", ranks: "0-2" }, 4],
  [{ region: "solve" }, 22],
  [{ region: "outside of regions" }, 9],
  [{ site: "lib+0x30" }, 26],
  [{ communicator: "W", region: "solve" }, 0],
])("%j leaves %d s", (filter, seconds) => {
  const selection = chosen(filter);
  expect(selection.total.seconds).toBe(seconds);
  expect(selection.unknown).toEqual([]);
  expect(selection.chosen).toEqual(Object.keys(EVERYTHING).filter((key) => key in filter));
  expect(selection.everything).toBe(Object.keys(filter).length === 0);
});

test.each<Partial<Filter>>([
  ...[{ communicator: "nix" }, { procedure: "nix" }, { procedure: "Testany" }, { sizeFrom: "9" }],
  ...[{ sizeTo: "x" }, { ranks: "77" }, { node: "n" }, { region: "r" }, { site: "s" }],
])("%j is in no call of the run", (filter) => {
  expect(chosen(filter).unknown).toEqual(Object.keys(filter));
});

test("sums are by an axis, without MPI_Init, and unfinished calls apart", () => {
  const { calls, sent, received, seconds, unfinished } = chosen({}).by("rank", 4);
  expect([...seconds]).toEqual([1, 2, 4, 24]);
  expect([...calls]).toEqual([1, 1, 1, 3]);
  expect([...sent]).toEqual([1, 1, 2, 4]);
  expect([...received]).toEqual([1, 1, 0, 0]);
  expect([...unfinished]).toEqual([0, 0, 0, 1]);
});

test("of ranks that are together a block is chosen with any of them", () => {
  const together = { ...RUN, cells: { ...RUN.cells, together: 2, rank: Uint8Array.of(0, 0, 0, 1, 1, 1) } };
  const selection = new Selection(together, { ...EVERYTHING, ranks: "3" });
  expect([selection.block(0), selection.block(1)]).toEqual([false, true]);
  expect(selection.total.seconds).toBe(28);
});

test.each<[string, number[] | null]>([
  ["", null],
  ["3", [3]],
  ["0-2,5", [0, 1, 2, 5]],
  [" 1 - 2 , 4", [1, 2, 4]],
  ["6-99", [6, 7]],
  ["8", []],
  ["x", []],
  ["1-", []],
  ["1,,2", []],
])("the ranks of '%s' below 8 are %j", (text, ranks) => {
  const found = ranksOf(text, 8);
  expect(found && [...found]).toEqual(ranks);
});

test("what is called, and what was made in the same way", () => {
  expect(calledProcedures(RUN)).toEqual(["Allreduce", "Send"]);
  expect(familiesOf(RUN.axes)).toEqual([
    { name: "W", members: [0] },
    { name: "W_a1", members: [1, 2] },
  ]);
});
