/** The parts of the time of a run, each with its colour. */

export type Part = "computing" | "collectives" | "messages" | "rest" | "files";

/** In the order in which they are stacked. */
export const PARTS: readonly Part[] = ["computing", "collectives", "messages", "rest", "files"];

export const PART_NAMES: Record<Part, string> = {
  computing: "computing, other",
  collectives: "waiting in collectives ~",
  messages: "waiting for messages ~",
  rest: "rest of MPI",
  files: "MPI-IO",
};

// Okabe and Ito 2008; unimportant parts have subdued colours.
const LIGHT: Record<Part, string> = {
  computing: "#d3dbe3",
  collectives: "#e69f00",
  messages: "#d55e00",
  rest: "#56b4e9",
  files: "#009e73",
};
const DARK: Record<Part, string> = {
  computing: "#46525f",
  collectives: "#e8ab2e",
  messages: "#e2752b",
  rest: "#8ccbef",
  files: "#2fb58f",
};

export function partColour(part: Part, dark: boolean): string {
  return (dark ? DARK : LIGHT)[part];
}
