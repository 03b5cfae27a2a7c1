/** What is looked at; it is in the address, so that it can be kept and sent. */

export type Direction = "larger" | "up" | "down";
export type Unit = "bytes" | "messages" | "seconds" | "ratio";

/** What was chosen in any of the figures: all others show what belongs to it. */
export type Choice =
  | { kind: "none" }
  | { kind: "links"; rail: number; links: number[] }
  | { kind: "groups"; groups: number[] }
  | { kind: "cell"; row: number; column: number };

export interface State {
  rail: number;
  direction: Direction;
  unit: Unit;
  /** Filters; -1: all. */
  communicator: number;
  procedure: number;
  /** Of the list of links; ALL, BETWEEN switches. */
  class: number;
  unused: boolean;
  /** Of the matrices: the lower one of two neighbouring levels. */
  level: number;
  choice: Choice;
}

export const ALL = -1;
export const BETWEEN = -2;

export const START: State = {
  rail: 0,
  direction: "larger",
  unit: "bytes",
  communicator: -1,
  procedure: -1,
  class: BETWEEN,
  unused: false,
  level: 1,
  choice: { kind: "none" },
};

export interface Limits {
  rails: { links: number }[];
  communicators: number;
  procedures: number;
  classes: number;
  groups: number;
  cells: number;
}

export function toAddress(state: State): string {
  const found = new URLSearchParams();
  for (const key of ["rail", "direction", "unit", "communicator", "procedure", "class", "level"] as const)
    if (state[key] !== START[key]) found.set(key, String(state[key]));
  if (state.unused) found.set("unused", "1");
  const choice = state.choice;
  if (choice.kind === "links") found.set("links", [choice.rail, ...choice.links.slice(0, 64)].join("."));
  if (choice.kind === "groups") found.set("groups", choice.groups.join("."));
  if (choice.kind === "cell") found.set("cell", `${choice.row}.${choice.column}`);
  return found.toString();
}

/** Return the state of an address; what does not fit the data is left as it is at the start. */
export function fromAddress(text: string, limits: Limits): State {
  const given = new URLSearchParams(text.replace(/^#/, ""));
  const number = (key: string, otherwise: number, end: number) => {
    const value = Number(given.get(key) ?? otherwise);
    return Number.isInteger(value) && value >= BETWEEN && value < end ? value : otherwise;
  };
  const word = <T extends string>(key: string, words: readonly T[]): T =>
    words.find((known) => known === given.get(key)) ?? words[0];
  return {
    rail: Math.max(0, number("rail", 0, limits.rails.length)),
    direction: word("direction", ["larger", "up", "down"]),
    unit: word("unit", ["bytes", "messages", "seconds", "ratio"]),
    communicator: Math.max(ALL, number("communicator", ALL, limits.communicators)),
    procedure: Math.max(ALL, number("procedure", ALL, limits.procedures)),
    class: number("class", BETWEEN, limits.classes),
    unused: given.get("unused") === "1",
    level: Math.max(0, number("level", 1, 255)),
    choice: choiceOf(given, limits),
  };
}

function choiceOf(given: URLSearchParams, limits: Limits): Choice {
  const list = (key: string) => (given.get(key) ?? "").split(".").filter(Boolean).map(Number);
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
