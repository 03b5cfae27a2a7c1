import { expect, test } from "vitest";
import { goesToNeighbours } from "./findings.ts";

test("all-to-all traffic does not go between neighbours", () => {
  for (let ranks = 2; ranks < 100; ranks++)
    expect(goesToNeighbours(ranks > 2 ? 2 / (ranks - 1) : 1, ranks)).toBe(false);
  expect(goesToNeighbours(0.683, 4)).toBe(false); // a uniform all-to-all of four, counted
});

test("what a halo exchanges goes between neighbours", () => {
  for (let ranks = 4; ranks < 100; ranks++) expect(goesToNeighbours(1, ranks)).toBe(true);
  expect(goesToNeighbours(0.5, 128)).toBe(true);
  expect(goesToNeighbours(0.4, 64)).toBe(false);
});
