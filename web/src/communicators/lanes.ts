/** Ranks × communicators: the members of each communicator, and how a rank's time in MPI is divided among them. */
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import { percentText, secondText } from "../units.ts";
import type { CommunicatorsData } from "./contract.ts";
import { eachRank } from "./members.ts";
import { type Branch, membersText } from "./model.ts";

export interface Lanes {
  rows: Branch[];
  /** Blocks of ranks that are shown together. */
  blocks: number[];
  together: number;
  /** Row by row: how many of the communicators have a rank of the block as a member. */
  members: Float32Array;
  /** Time in MPI of the block on each of them, in seconds; and on all of them. */
  seconds: Float32Array;
  all: Float64Array;
  most: number;
}

export function lanesOf(rows: Branch[], selection: Selection, data: CommunicatorsData): Lanes {
  const { run } = selection;
  const { together } = run.cells;
  const blocks: number[] = [];
  const columnOf = new Int32Array(Math.ceil(run.axes.ranks / together)).fill(-1);
  for (let block = 0; block < columnOf.length; block++)
    if (selection.block(block)) columnOf[block] = blocks.push(block) - 1;
  const width = blocks.length;
  const members = new Float32Array(rows.length * width);
  const seconds = new Float32Array(rows.length * width);
  const all = new Float64Array(width);
  const rowsOf = new Map<number, number[]>();
  rows.forEach((branch, row) => {
    for (const one of branch.ones) {
      const known = rowsOf.get(one);
      if (known) known.push(row);
      else rowsOf.set(one, [row]);
      let last = -1;
      eachRank(data.members[one] || (data.groups[one].at(0) ?? ""), run.axes.ranks, (rank) => {
        const block = Math.floor(rank / together);
        if (block === last || columnOf[block] < 0) return;
        last = block;
        members[row * width + columnOf[block]]++;
      });
    }
  });
  const { cells } = run;
  for (const cell of selection.cells) {
    const column = columnOf[cells.rank[cell]];
    all[column] += cells.seconds[cell];
    for (const row of rowsOf.get(cells.communicator[cell]) ?? [])
      seconds[row * width + column] += cells.seconds[cell];
  }
  let most = 0;
  for (let place = 0; place < seconds.length; place++)
    most = Math.max(most, share(seconds[place], all[place % width]));
  return { rows, blocks, together, members, seconds, all, most };
}

export function share(seconds: number, all: number): number {
  return all > 0 ? seconds / all : 0;
}

/** `3`, or for a block `4-7`. */
export function blockName({ blocks, together }: Lanes, column: number, run: RunData): string {
  const first = blocks[column] * together;
  const last = Math.min(first + together, run.axes.ranks) - 1;
  return first === last ? String(first) : `${first}-${last}`;
}

export function laneFacts(
  lanes: Lanes,
  row: number,
  column: number,
  run: RunData,
  data: CommunicatorsData,
): { head: string; note: string; rows: [string, string][] } {
  const branch = lanes.rows[row];
  const place = row * lanes.blocks.length + column;
  const seconds = lanes.seconds[place];
  const host = run.axes.hosts.at(run.axes.hostOf[lanes.blocks[column] * lanes.together]);
  const name = blockName(lanes, column, run);
  const rank = `rank${name.includes("-") ? "s" : ""} ${name}${host ? ` on ${host}` : ""}`;
  const count = lanes.members[place];
  const role =
    branch.count === 0
      ? ""
      : !count
        ? ", no member"
        : branch.ones.length > 1
          ? `, in ${count} of ${branch.count}`
          : ", member";
  return {
    head: branch.label,
    note: rank + role,
    rows: [
      ["time", secondText(seconds)],
      ["of its time in MPI", percentText(share(seconds, lanes.all[column]))],
      ...(branch.count ? [["members", membersText(branch, data)] satisfies [string, string]] : []),
    ],
  };
}

/** `Each rank is in 4 to 9 communicators`. */
export function membershipFinding(
  roots: readonly Branch[],
  selection: Selection,
  data: CommunicatorsData,
): string {
  const { run } = selection;
  const counts = new Uint32Array(run.axes.ranks);
  const count = (branches: readonly Branch[]) => {
    for (const branch of branches) {
      if (branch.name && branch.ones.length === 1)
        for (const one of branch.ones)
          eachRank(
            data.members[one] || (data.groups[one].at(0) ?? ""),
            counts.length,
            (rank) => counts[rank]++,
          );
      count(branch.children);
    }
  };
  count(roots);
  const chosen = Array.from(counts).filter((_, rank) => selection.ranks[rank]);
  if (!chosen.length) return "No rank is selected";
  const [least, most] = [Math.min(...chosen), Math.max(...chosen)];
  const what = run.axes.communicators.each ? "communicator" : "famil";
  const plural = run.axes.communicators.each ? "communicators" : "families of communicators";
  if (least === most)
    return `Each rank is in ${most} ${most === 1 ? (what === "famil" ? "family of communicators" : what) : plural}`;
  const top = chosen.filter((one) => one === most).length;
  return `Each rank is in ${least} to ${most} ${plural}; ${top} of ${chosen.length} are in ${most}`;
}
