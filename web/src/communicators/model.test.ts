import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import type { CommunicatorsData } from "./contract.ts";
import {
  ancestry,
  type Branch,
  explanation,
  groupsOf,
  inOrderOfRanks,
  lifeOf,
  linesOf,
  makerText,
  membersText,
  parentText,
  sizeText,
  sortBranches,
} from "./model.ts";

const ALL = ["W", "W_s1.0", "W_s1.1", "W_s1_d1.0", "(none)"];
/** A world split in two halves; the first has a duplicate. */
const RUN = {
  axes: {
    communicators: {
      name: ALL,
      label: ALL,
      family: ["W", "W_s1", "W_s1", "W_s1_d1", "(none)"],
      parent: Int8Array.of(-1, 0, 0, 1, -1),
    },
  },
} as unknown as RunData;
const DATA = {
  count: Uint8Array.of(1, 1, 1, 1, 0),
  least: Uint8Array.of(8, 4, 5, 4, 0),
  most: Uint8Array.of(8, 4, 5, 4, 0),
  remote: new Uint8Array(5),
  userNames: [[], ["row"], ["column"], [], []],
  maker: ["", "MPI_Comm_split", "MPI_Comm_split", "MPI_Comm_dup", ""],
  remoteParent: ["", "", "", "", ""],
  groups: [["0-8"], ["4-8"], ["0-3"], ["4-8"], []],
  moreGroups: Uint8Array.of(0, 0, 2, 0, 0),
  created: Float64Array.of(0, 1, 2, 3, -1),
  freed: Float64Array.of(-1, 5, 6, -1, -1),
} as unknown as CommunicatorsData;

function family(name: string): Branch {
  const found = linesOf(ancestry(RUN, DATA), () => true).find(({ branch }) => branch.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found.branch;
}

function names(open: (branch: Branch) => boolean): string[] {
  return linesOf(ancestry(RUN, DATA), open).map(({ branch, level }) => `${level} ${branch.label}`);
}

test("families stand below what they were made from, their members in a line of their own", () => {
  expect(names(({ open }) => open)).toEqual([
    "1 W",
    '2 W_s1 "row" +1 names',
    "3 each of the 2",
    "3 W_s1_d1.0",
    "1 (none)",
  ]);
  expect(names(() => true).slice(2, 5)).toEqual(["3 each of the 2", "4 W_s1.0", "4 W_s1.1"]);
  expect(names(() => false)).toEqual(["1 W", "1 (none)"]);
});

test("what takes the most time comes first, what is no communicator last", () => {
  const branches = ["(none)", "W_s1.0", "W_s1.1"].map(family);
  sortBranches(branches, ({ name }) => ({ "(none)": 9, "W_s1.0": 1, "W_s1.1": 2 })[name] ?? 0);
  expect(branches.map(({ name }) => name)).toEqual(["W_s1.1", "W_s1.0", "(none)"]);
});

test("the members of a family are in the order of their ranks", () => {
  const ordered = inOrderOfRanks(ancestry(RUN, DATA), DATA).map(({ name }) => name);
  expect(ordered.filter((name) => name.startsWith("W_s1."))).toEqual(["W_s1.1", "W_s1.0"]);
});

test("what is said of a family is said of all its communicators", () => {
  const halves = family("W_s1");
  expect(sizeText(halves, DATA)).toBe("2 x 4-5");
  expect(sizeText(family("W"), DATA)).toBe("1 x 8");
  expect(lifeOf(halves, DATA)).toEqual({ begin: 1, end: 6 });
  expect(lifeOf(family("W"), DATA)).toEqual({ begin: 0, end: null });
  expect(groupsOf(halves, DATA)).toEqual({ groups: ["0-3", "4-8"], more: 2 });
  expect(membersText(halves, DATA, 1)).toBe("0-3 +3 more");
  expect([parentText(halves, RUN, DATA), parentText(family("W_s1_d1.0"), RUN, DATA)]).toEqual([
    "W",
    "W_s1.0",
  ]);
  expect([makerText(halves, DATA), makerText(family("W"), DATA)]).toEqual(["MPI_Comm_split", "predefined"]);
});

test("what is no communicator has neither size nor life", () => {
  const none = family("(none)");
  expect([sizeText(none, DATA), makerText(none, DATA), lifeOf(none, DATA)]).toEqual(["", "", null]);
  expect(explanation(none)).toMatch(/no communicator/);
  expect(explanation(family("W"))).toBe("");
});
