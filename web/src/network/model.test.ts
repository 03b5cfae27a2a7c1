import { expect, test } from "vitest";
import type { RailData } from "./contract.ts";
import { linkRateText } from "../units.ts";
import { boundsOf, bucketed, classFacts, highest, Rail } from "./model.ts";

/** Ports 0 and 1 on switch 0, which two cables lead to switch 1 above it. Ends 2 and 3 are the ports. */
const RAIL = new Rail(
  {
    name: "ib0",
    topology: "",
    switches: {
      name: ["leaf", "spine"],
      level: Uint8Array.of(1, 2),
      place: [],
      x: Float32Array.of(0.5, 0.5),
    },
    ports: {
      name: ["a/hca 1", "b/hca 1"],
      host: ["a", "b"],
      device: ["hca", "hca"],
      x: Float32Array.of(0, 1),
    },
    places: {
      width: 1,
      port: Int8Array.of(0, 1),
      part: Float32Array.of(1, 0),
      wanted: Float32Array.of(1, 0),
    },
    links: {
      source: Uint8Array.of(2, 0, 3, 0, 0, 1, 0, 1),
      sourcePort: Uint8Array.of(1, 1, 1, 2, 3, 1, 4, 2),
      destination: Uint8Array.of(0, 2, 0, 3, 1, 0, 1, 0),
      destinationPort: Uint8Array.of(1, 1, 2, 1, 1, 3, 2, 4),
      rate: Float32Array.of(NaN, NaN, 1.25e10, 1.25e10, 2.5e10, 2.5e10, 1.7e9, 1.7e9),
      width: Uint8Array.of(0, 0, 4, 4, 4, 4, 0, 0),
      slow: Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 1),
      class: Uint8Array.of(0, 1, 0, 1, 2, 3, 2, 3),
    },
    forward: null,
    loads: {
      start: Uint8Array.of(0, 2, 4),
      at: Uint8Array.of(0, 4, 4, 6),
      bytes: Float64Array.of(100, 60, 5, 40),
      messages: Float64Array.of(10, 6, 1, 4),
    },
    cuts: {
      class: Uint8Array.of(0, 2),
      links: Uint8Array.of(1, 2),
      loads: {
        start: Uint8Array.of(0, 2, 2),
        at: Uint8Array.of(0, 1),
        bytes: Float64Array.of(100, 80),
        messages: Float64Array.of(10, 8),
      },
    },
  } as unknown as RailData,
  0,
);

test("cables between the same two ends are one bundle, from the lower level up", () => {
  expect(RAIL.bundles).toEqual([
    { low: 2, high: 0, up: [0], down: [1] },
    { low: 3, high: 0, up: [2], down: [3] },
    { low: 0, high: 1, up: [4, 6], down: [5, 7] },
  ]);
  expect([...RAIL.bundleOf]).toEqual([0, 0, 1, 1, 2, 2, 2, 2]);
  expect(RAIL.at).toEqual([[2, 3], [0], [1]]);
  expect([...RAIL.way]).toEqual([1, -1, 1, -1, 1, -1, 1, -1]);
  expect(RAIL.upright).toBe(true);
});

test("each link has its own rate and width, and slow ones are marked", () => {
  expect([0, 2, 4, 6].map((link) => RAIL.rateText(link))).toEqual([
    "",
    "100 Gbit/s (4x)",
    "200 Gbit/s (4x)",
    "13.6 Gbit/s",
  ]);
  expect([4, 6, 7].map((link) => RAIL.isSlow(link))).toEqual([false, true, true]);
  expect([RAIL.placeText(0), RAIL.placeText(1)]).toEqual(["level 1", "level 2"]);
});

test("rates of links have three digits, and slow links a smaller unit", () => {
  const gbit = [400, 54.545, 1, 0.9996, 0.9994, 0.05];
  expect(gbit.map((each) => linkRateText((each * 1e9) / 8, 0))).toEqual([
    "400 Gbit/s",
    "54.5 Gbit/s",
    "1 Gbit/s",
    "1 Gbit/s",
    "999 Mbit/s",
    "50 Mbit/s",
  ]);
});

test("links are found by the ports that they leave", () => {
  expect([1, 2, 3, 4].map((port) => RAIL.out[port])).toEqual([1, 3, 4, 6]);
  expect([...RAIL.upOfPort]).toEqual([0, 2]);
  expect(RAIL.out[RAIL.outWidth]).toBe(-1);
  expect([...RAIL.has]).toEqual([1, 0]);
  expect(RAIL.linkName(4)).toBe("leaf [3] → spine [1]");
  expect(RAIL.linkName(0)).toBe("a/hca 1 → leaf [1]");
  expect([RAIL.plainName(2), RAIL.device(2), RAIL.device(0)]).toEqual(["a", "hca", ""]);
});

test("loads are those of the groups that are chosen", () => {
  expect([...RAIL.sums("bytes", Uint8Array.of(1, 1))]).toEqual([100, 0, 0, 0, 65, 0, 40, 0]);
  expect([...RAIL.sums("messages", Uint8Array.of(0, 1))]).toEqual([0, 0, 0, 0, 1, 0, 4, 0]);
  const causes: [number, number][] = [];
  RAIL.causes(4, "bytes", (group, amount) => causes.push([group, amount]));
  expect(causes).toEqual([
    [0, 60],
    [1, 5],
  ]);
});

test("what a class carries, over the links that are used, and at least", () => {
  const bounds = boundsOf(RAIL, "bytes", Uint8Array.of(1, 1), 5);
  expect([...bounds]).toEqual([100, 0, 40, 0, 0]);
  const facts = classFacts(RAIL, RAIL.sums("bytes", Uint8Array.of(1, 1)), bounds, [
    "in",
    "out",
    "up",
    "down",
    "-",
  ]);
  expect(
    facts.map(({ name, links, used, most, mean, bound }) => [name, links, used, most, mean, bound]),
  ).toEqual([
    ["in", 2, 1, 100, 100, 100],
    ["out", 2, 0, 0, 0, 0],
    ["up", 2, 2, 65, 52.5, 40],
    ["down", 2, 0, 0, 0, 0],
  ]);
});

test("indices by value, and the largest of values", () => {
  const [start, order] = bucketed(Uint8Array.of(2, 0, 2, 1), 4);
  expect([[...start], [...order]]).toEqual([
    [0, 1, 2, 4, 4],
    [1, 3, 0, 2],
  ]);
  expect([highest([]), highest([3, 9, 1])]).toEqual([0, 9]);
});
