/** Communicators by their ancestry: families of communicators that were made in the same way, below their origin. */
import type { RunData } from "../contract.ts";
import type { CommunicatorsData } from "./contract.ts";

export interface Branch {
  /** Name in filters; '' = a line that only groups others. */
  name: string;
  label: string;
  /** The communicator that it completely represents; '' = only a part of one. */
  family: string;
  /** Index on the axis. */
  ones: number[];
  /** Number of communicators that it represents; 0: (none), (several) and (other). */
  count: number;
  parent: Branch | null;
  children: Branch[];
  /** Whether the lines below are shown at first. */
  open: boolean;
}

const PSEUDO: Record<string, string> = {
  "(none)": "calls on no communicator: waits without requests, or for unknown requests",
  "(several)": "waits for requests of several communicators",
  "(other)": "communicators for which the counters had no room",
};

export function explanation(branch: Branch): string {
  return branch.count ? "" : (PSEUDO[branch.name] ?? "not a communicator of this run");
}

/** Return the roots. */
export function ancestry(run: RunData, data: CommunicatorsData): Branch[] {
  const { name, label, family, parent } = run.axes.communicators;
  const members = new Map<string, number[]>();
  family.forEach((of, one) => {
    const ones = members.get(of);
    if (ones) ones.push(one);
    else members.set(of, [one]);
  });
  const single = (one: number, above: Branch | null, whole = ""): Branch => ({
    name: name[one],
    label: label[one],
    family: whole,
    ones: [one],
    count: data.count[one],
    parent: above,
    children: [],
    open: true,
  });
  const families = new Map<string, Branch>();
  for (const [of, ones] of members)
    families.set(
      of,
      ones.length === 1
        ? single(ones[0], null, of)
        : {
            name: of,
            family: of,
            label: familyLabel(
              of,
              ones.flatMap((one) => (data.userNames[one].length ? data.userNames[one] : [""])),
            ),
            ones,
            count: ones.reduce((sum, one) => sum + data.count[one], 0),
            parent: null,
            children: [],
            open: true,
          },
    );
  const roots: Branch[] = [];
  for (const [of, branch] of families) {
    const above = families.get(familyAbove(of, branch.ones[0], family, parent));
    if (above && !isBelow(above, branch)) {
      branch.parent = above;
      above.children.push(branch);
    } else roots.push(branch);
  }
  for (const branch of families.values()) {
    if (branch.ones.length === 1) continue;
    if (!branch.children.length) {
      branch.children = branch.ones.map((one) => single(one, branch));
      branch.open = false;
      continue;
    }
    const each: Branch = {
      name: "",
      family: "",
      label: `each of the ${branch.count}`,
      ones: branch.ones,
      count: branch.count,
      parent: branch,
      children: [],
      open: false,
    };
    each.children = branch.ones.map((one) => single(one, each));
    branch.children.unshift(each);
  }
  return roots;
}

/** `W_s1 "row" +3 names`, as names_quoted of python/rankwise/text/names.py; no name if some have none. */
function familyLabel(family: string, given: string[]): string {
  const names = [...new Set(given)];
  if (names.includes("") || !names.length) return family;
  return `${family} "${names[0]}"${names.length > 1 ? ` +${names.length - 1} names` : ""}`;
}

/** The nearest family above that differs: a library's internal communicators may be one family on many levels. */
function familyAbove(of: string, one: number, family: string[], parent: ArrayLike<number>): string {
  for (let at = parent[one], steps = 0; at >= 0 && steps < 100; at = parent[at], steps++)
    if (family[at] !== of) return family[at];
  return "";
}

function isBelow(branch: Branch, other: Branch): boolean {
  for (let at: Branch | null = branch; at; at = at.parent) if (at === other) return true;
  return false;
}

/** Sort by time, the most first, on every level; entries that are no communicators come last. */
export function sortBranches(branches: Branch[], seconds: (branch: Branch) => number): void {
  const rank = (branch: Branch) => (branch.name === "" ? 0 : branch.count ? 1 : 2);
  branches.sort((one, other) => rank(one) - rank(other) || seconds(other) - seconds(one));
  for (const branch of branches) sortBranches(branch.children, seconds);
}

export interface Line {
  branch: Branch;
  level: number;
}

/** The lines of a tree from top to bottom, without those below closed lines. */
export function linesOf(branches: readonly Branch[], isOpen: (branch: Branch) => boolean, level = 1): Line[] {
  return branches.flatMap((branch) => [
    { branch, level },
    ...(isOpen(branch) ? linesOf(branch.children, isOpen, level + 1) : []),
  ]);
}

/** All branches from top to bottom, in a family by the ranks of their members. */
export function inOrderOfRanks(branches: readonly Branch[], data: CommunicatorsData): Branch[] {
  const ofOne = (branch: Branch) => branch.name !== "" && !branch.family;
  const first = (branch: Branch) => data.groups[branch.ones[0]].at(0) ?? "";
  const ordered = [...branches].sort((one, other) =>
    ofOne(one) && ofOne(other) ? byFirstRank(first(one), first(other)) : 0,
  );
  return ordered.flatMap((branch) => [branch, ...inOrderOfRanks(branch.children, data)]);
}

/** Values of all its communicators, without repeats. */
export function distinct<Value>(branch: Branch, values: (one: number) => readonly Value[]): Value[] {
  return [...new Set(branch.ones.flatMap((one) => [...values(one)]))];
}

/** `4 x 16`, `3 x 5-6`, `1 x 1+3`, as size_name of python/rankwise/text/names.py. */
export function sizeText(branch: Branch, data: CommunicatorsData): string {
  if (!branch.count) return "";
  const of = (column: ArrayLike<number>) => branch.ones.map((one) => column[one]);
  const [least, most] = [Math.min(...of(data.least)), Math.max(...of(data.most))];
  const remote = Math.max(...of(data.remote));
  const sizes = `${least}${most === least ? "" : `-${most}`}${remote ? `+${remote}` : ""}`;
  return `${branch.count} x ${sizes}`;
}

/** Its lifetime, in seconds after the start; end null: up to the end of the run. */
export function lifeOf(
  branch: Branch,
  data: CommunicatorsData,
): { begin: number; end: number | null } | null {
  if (!branch.count) return null;
  const begins = branch.ones.map((one) => data.created[one]).filter((time) => time >= 0);
  const ends = branch.ones.map((one) => data.freed[one]);
  if (!begins.length) return null;
  return { begin: Math.min(...begins), end: ends.some((time) => time < 0) ? null : Math.max(...ends) };
}

/** `W_s1`; of communicators that were made from several, their family. */
export function parentText(branch: Branch, run: RunData, data: CommunicatorsData): string {
  const { name, family, parent } = run.axes.communicators;
  const parents = distinct(branch, (one) => [parent[one]]).filter((one) => one >= 0);
  const of = parents.length === 1 ? name[parents[0]] : parents.length ? family[parents[0]] : "";
  const remote = distinct(branch, (one) => [data.remoteParent[one]]).filter(Boolean);
  return [of, ...remote.slice(0, 1)].filter(Boolean).join(" + ");
}

export function makerText(branch: Branch, data: CommunicatorsData): string {
  if (!branch.count) return "";
  return listed(distinct(branch, (one) => [data.maker[one] || "predefined"]));
}

export function listed(names: readonly string[]): string {
  return names.length > 1 ? `${names[0]} +${names.length - 1}` : (names.at(0) ?? "");
}

/** The groups of processes, each once, and how many more there are. */
export function groupsOf(branch: Branch, data: CommunicatorsData): { groups: string[]; more: number } {
  return {
    groups: distinct(branch, (one) => data.groups[one]).sort(byFirstRank),
    more: branch.ones.reduce((sum, one) => sum + data.moreGroups[one], 0),
  };
}

/** If one call made several communicators, the first of them is arbitrary. */
function byFirstRank(one: string, other: string): number {
  return parseInt(one, 10) - parseInt(other, 10) || one.localeCompare(other, "en", { numeric: true });
}

export function membersText(branch: Branch, data: CommunicatorsData, shown = 3): string {
  const { groups, more } = groupsOf(branch, data);
  const rest = Math.max(0, groups.length - shown) + more;
  return groups.slice(0, shown).join(" | ") + (rest ? ` +${rest} more` : "");
}
