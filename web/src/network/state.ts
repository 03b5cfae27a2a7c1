/** The state of this page: options of the address, with the numbering of the report. */

export type Direction = "larger" | "up" | "down";
export type Unit = "bytes" | "messages" | "seconds" | "ratio";

/** The choice in any of the figures: all others show the related data. */
export type Choice =
  | { kind: "none" }
  | { kind: "links"; rail: number; links: number[] }
  | { kind: "groups"; groups: number[] }
  | { kind: "cell"; row: number; column: number };

export interface State {
  rail: number;
  direction: Direction;
  unit: Unit;
  /** For the list of links; ALL, BETWEEN switches, SLOW_ONES of cables that are slower than their parallels. */
  class: number;
  unused: boolean;
  /** For the matrices: the lower one of two neighbouring levels. */
  level: number;
  choice: Choice;
}

export const ALL = -1;
export const BETWEEN = -2;
export const SLOW_ONES = -3;

export const START: State = {
  rail: 0,
  direction: "larger",
  unit: "bytes",
  class: BETWEEN,
  unused: false,
  level: 1,
  choice: { kind: "none" },
};

export interface Limits {
  rails: { links: number }[];
  classes: number;
  groups: number;
  cells: number;
}

/** Other pages have options, too. */
const PREFIX = "net-";
const MOST_LINKS = 64;

/** Return the options of a state; null: the initial value. */
export function toOptions(state: State): Map<string, string | null> {
  const found = new Map<string, string | null>();
  const add = (key: string, value: string | null) => found.set(PREFIX + key, value);
  for (const key of ["rail", "direction", "unit", "class", "level"] as const)
    add(key, state[key] === START[key] ? null : String(state[key]));
  add("unused", state.unused ? "1" : null);
  const { choice } = state;
  add(
    "links",
    choice.kind === "links" ? [choice.rail, ...choice.links.slice(0, MOST_LINKS)].join(".") : null,
  );
  add("groups", choice.kind === "groups" ? choice.groups.join(".") : null);
  add("cell", choice.kind === "cell" ? `${choice.row}.${choice.column}` : null);
  return found;
}

/** All of them by name. */
export const OPTIONS: readonly string[] = [...toOptions(START).keys()];

/** Return the state of options; options that do not fit the data get their initial value. */
export function fromOptions(options: ReadonlyMap<string, string>, limits: Limits): State {
  const given = (key: string) => options.get(PREFIX + key);
  const number = (key: string, otherwise: number, end: number) => {
    const value = Number(given(key) ?? otherwise);
    return Number.isInteger(value) && value >= SLOW_ONES && value < end ? value : otherwise;
  };
  const word = <T extends string>(key: string, words: readonly T[]): T =>
    words.find((known) => known === given(key)) ?? words[0];
  return {
    rail: Math.max(0, number("rail", 0, limits.rails.length)),
    direction: word("direction", ["larger", "up", "down"]),
    unit: word("unit", ["bytes", "messages", "seconds", "ratio"]),
    class: number("class", BETWEEN, limits.classes),
    unused: given("unused") === "1",
    level: Math.max(0, number("level", 1, 255)),
    choice: choiceOf(given, limits),
  };
}

function choiceOf(given: (key: string) => string | undefined, limits: Limits): Choice {
  const list = (key: string) => (given(key) ?? "").split(".").filter(Boolean).map(Number);
  const inside = (numbers: number[], end: number) =>
    numbers.length > 0 && numbers.every((one) => Number.isInteger(one) && one >= 0 && one < end);
  const [rail, ...links] = list("links");
  if (inside([rail], limits.rails.length) && inside(links, limits.rails[rail].links))
    return { kind: "links", rail, links };
  const groups = list("groups");
  if (inside(groups, limits.groups)) return { kind: "groups", groups };
  const cell = list("cell");
  if (cell.length === 2 && inside(cell, limits.cells)) return { kind: "cell", row: cell[0], column: cell[1] };
  return { kind: "none" };
}
