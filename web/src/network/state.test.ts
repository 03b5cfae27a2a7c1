import { expect, test } from "vitest";
import { ALL, fromOptions, START, type State, toOptions } from "./state.ts";

const LIMITS = { rails: [{ links: 100 }, { links: 10 }], classes: 4, groups: 5, cells: 16 };

function again(state: State): State {
  const options = [...toOptions(state)].flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  return fromOptions(new Map(options), LIMITS);
}

test("the start has no options", () => {
  expect([...toOptions(START).values()].filter((value) => value !== null)).toEqual([]);
  expect(fromOptions(new Map(), LIMITS)).toEqual(START);
});

test.each<Partial<State>>([
  { rail: 1, direction: "up", unit: "seconds", class: ALL, unused: true, level: 2 },
  { choice: { kind: "links", rail: 1, links: [0, 9] } },
  { choice: { kind: "groups", groups: [0, 4] } },
  { choice: { kind: "cell", row: 0, column: 15 } },
])("%j comes back from its options", (change) => {
  const state = { ...START, ...change };
  expect(again(state)).toEqual(state);
});

test("what fits nothing is left as it is at the start", () => {
  const wrong = {
    links: "0.99999",
    groups: "-1.7",
    cell: "1.x",
    rail: "9",
    unit: "<b>",
    class: "1e9",
    level: "-4",
  };
  const options = new Map(Object.entries(wrong).map(([key, value]) => [`net-${key}`, value]));
  expect(fromOptions(options, LIMITS)).toEqual(START);
});
