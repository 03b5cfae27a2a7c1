import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import { Selection } from "../shell/selection.ts";
import { EVERYTHING, type Filter } from "../shell/state.ts";
import { hostOf, rankName, rankTimes, spread } from "./model.ts";

/** Two ranks of 10 s. Rank 1 has two threads, and was in MPI for 6 s, of them 2 s in MPI-IO. */
const RUN = {
  name: "a.rankwise",
  axes: {
    ranks: 2,
    hosts: ["nodea"],
    hostOf: Uint8Array.of(0, 1),
    communicators: {
      each: true,
      name: ["W", "W_a1"],
      label: ["W", "W_a1"],
      family: ["W", "W_a1"],
      parent: Int8Array.of(-1, 0),
    },
    procedures: {
      name: ["Allreduce", "Recv", "File_write"],
      class: ["collective", "point-to-point", "input-output"],
      apart: Uint8Array.of(0, 0, 0),
    },
    sizes: ["0 B"],
    regions: { name: ["outside of regions"], parent: Int8Array.of(-1) },
    sites: ["not known"],
  },
  cells: {
    together: 1,
    procedure: Uint8Array.of(0, 1, 0, 2),
    communicator: Uint8Array.of(0, 1, 0, 0),
    region: new Uint8Array(4),
    size: new Uint8Array(4),
    site: new Uint8Array(4),
    rank: Uint8Array.of(0, 0, 1, 1),
    calls: Uint8Array.of(1, 1, 1, 1),
    sent: new Uint8Array(4),
    received: new Uint8Array(4),
    seconds: Float64Array.of(3, 1, 8, 4),
    unfinished: new Uint8Array(4),
  },
  balance: {
    missing: "",
    ranks: {
      rank: Uint8Array.of(0, 1),
      run: Float64Array.of(10, 10),
      threads: Uint8Array.of(1, 2),
      mpi: Float64Array.of(4, 12),
      files: Float64Array.of(0, 4),
    },
    waits: {
      procedure: Uint8Array.of(0, 1, 0),
      communicator: Uint8Array.of(0, 1, 0),
      rank: Uint8Array.of(0, 0, 1),
      collectives: Float64Array.of(2, 0, 100),
      messages: Float64Array.of(0, 0.5, 0),
    },
  },
} as unknown as RunData;

function times(filter: Partial<Filter>): Record<string, number[]> {
  const { parts } = rankTimes(RUN, new Selection(RUN, { ...EVERYTHING, ...filter }));
  return Object.fromEntries(Object.entries(parts).map(([part, seconds]) => [part, [...seconds]]));
}

test("the time of a rank is taken apart, and nothing is more than there is", () => {
  expect(times({})).toEqual({
    computing: [6, 4],
    collectives: [2, 4],
    messages: [0.5, 0],
    rest: [1.5, 0],
    files: [0, 2],
  });
});

test("of calls that are chosen there is only what they took", () => {
  const selection = new Selection(RUN, { ...EVERYTHING, communicator: "W_a1" });
  const { ofCalls, waits, together } = rankTimes(RUN, selection);
  expect([ofCalls, waits, together]).toEqual([true, true, 1]);
  expect(times({ communicator: "W_a1" })).toEqual({
    computing: [0, 0],
    collectives: [0, 0],
    messages: [0.5, 0],
    rest: [0.5, 0],
    files: [0, 0],
  });
  expect(times({ procedure: "File_write" })).toMatchObject({ files: [0, 2], rest: [0, 0] });
});

test("waits are not told apart by size: then nothing is said of them", () => {
  expect(times({ sizeTo: "0 B" })).toMatchObject({ collectives: [0, 0], messages: [0, 0], rest: [4, 4] });
});

test("ranks that are chosen keep all their time", () => {
  expect(times({ ranks: "1" })).toMatchObject({ computing: [4], files: [2] });
});

test("mean and most", () => {
  expect(spread(Float64Array.of(1, 4, 4, 3))).toEqual({ mean: 3, most: 4, at: 1 });
  expect(spread(new Float64Array(0))).toEqual({ mean: 0, most: 0, at: 0 });
});

test("a rank has the name of its host where that is known", () => {
  expect([hostOf(RUN, 0), hostOf(RUN, 1)]).toEqual(["nodea", ""]);
  expect([rankName(RUN, 0), rankName(RUN, 1)]).toEqual(["rank 0 (nodea)", "rank 1"]);
});
