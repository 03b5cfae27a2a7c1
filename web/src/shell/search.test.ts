import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import type { Context } from "./context.ts";
import { matches } from "./search.ts";

const RUN = {
  axes: {
    ranks: 32,
    hosts: ["node1", "node2"],
    communicators: {
      name: ["W", "W_a1.0", "W_a1.1"],
      label: ["W", 'W_a1.0 "rows"', 'W_a1.1 "rows"'],
      family: ["W", "W_a1", "W_a1"],
    },
    procedures: { name: ["Reduce", "Allreduce", "Send"], apart: new Uint8Array(3) },
    regions: { name: ["outside of regions", "solve"], parent: Int8Array.of(-1, -1) },
    sites: ["not known", "reduce.c:3"],
  },
  cells: { procedure: Uint8Array.of(0, 1) },
} as unknown as RunData;

/** The matches, and the effect of choosing them. */
function search(text: string): [what: string, name: string, does: unknown][] {
  let done: unknown;
  const note = (change: unknown) => {
    done = change;
  };
  const context = {
    run: RUN,
    report: { runs: [RUN] },
    state: { options: new Map() },
    filter: note,
    change: note,
  } as unknown as Context;
  return matches(context, text).map(({ what, text: name, go }) => {
    go();
    return [what, name, done];
  });
}

test("what begins with the text comes first; calls are found with MPI_, too", () => {
  const found = [
    ["call", "Reduce", { procedure: "Reduce" }],
    ["call site", "reduce.c:3", { site: "reduce.c:3" }],
    ["call", "Allreduce", { procedure: "Allreduce" }],
  ];
  expect(search(" REDUCE ")).toEqual(found);
  expect(search("MPI_Reduce")).toEqual([found[0], found[2]]);
  // Only calls that were made.
  expect(search("send")).toEqual([]);
});

test("a communicator by its name, and a family of several", () => {
  expect(search("w_a1")).toEqual([
    ["family", "W_a1 (2 communicators)", { communicator: "W_a1" }],
    ["communicator", 'W_a1.0 "rows"', { communicator: "W_a1.0" }],
    ["communicator", 'W_a1.1 "rows"', { communicator: "W_a1.1" }],
  ]);
});

test("ranks that there are, nodes and regions", () => {
  expect(search("rank 31")).toEqual([["rank", "rank 31", { ranks: "31" }]]);
  expect(search("32")).toEqual([]);
  expect(search("node2")).toEqual([["node", "node2", { node: "node2" }]]);
  expect(search("solve")).toEqual([["region", "solve", { region: "solve" }]]);
});

test("pages by their titles, and only those that the report has", () => {
  expect(search("calls and")).toEqual([["page", "Calls and sizes", { page: "calls" }]]);
  expect(search("appendix")).toEqual([]);
});

test("nothing is asked for, nothing is found", () => {
  expect(search("  ")).toEqual([]);
});
