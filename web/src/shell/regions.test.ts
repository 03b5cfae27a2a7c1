import { expect, test } from "vitest";
import { regionOptions, regionsOf } from "./regions.ts";

/** One name in two places. */
const REGIONS = {
  name: ["outside of regions", "solve", "solve/exchange", "solve/exchange/pack", "write", "write/exchange"],
  parent: Int32Array.of(-1, -1, 1, 2, -1, 4),
};

test.each([
  ["(outside)", [0]],
  ["outside of regions", [0]],
  ["solve", [1]],
  ["solve/", [1, 2, 3]],
  ["solve/exchange", [2]],
  ["solve/exchange/", [2, 3]],
  ["exchange", [2, 5]],
  ["exchange/", [2, 3, 5]],
  ["pack", [3]],
  ["write/,pack", [3, 4, 5]],
  ["solve, (outside)", [0, 1]],
])("%s means the regions %j", (text, regions) => {
  const mask = regionsOf(text, REGIONS);
  expect(mask && [...mask.keys()].filter((region) => mask[region])).toEqual(regions);
});

test.each(["nix", "solve,nix", "pack/nix/", "/"])("%s is not there", (text) => {
  expect(regionsOf(text, REGIONS)).toBeNull();
});

test("a name with a comma is one name", () => {
  expect(regionsOf("a,b", { name: ["a,b", "a"], parent: Int32Array.of(-1, -1) })).toEqual(
    Uint8Array.of(1, 0),
  );
});

test("regions that have some in them are offered with those, too", () => {
  expect(regionOptions(REGIONS).map(({ value }) => value)).toEqual([
    ...["outside of regions", "solve", "solve/", "solve/exchange", "solve/exchange/", "solve/exchange/pack"],
    ...["write", "write/", "write/exchange"],
  ]);
});
