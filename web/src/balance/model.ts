/** The time of each rank, split into parts, for the current selection. */
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import type { Filter } from "../shell/state.ts";
import { PARTS, type Part } from "../ui/parts.ts";
import type { BalanceData } from "./contract.ts";

export interface RankTimes {
  /** Rows of the data of the chosen ranks. */
  rows: Uint32Array;
  /** Seconds of each of these rows. */
  parts: Record<Part, Float64Array>;
  /** Whether calls are chosen: then only these are shown, and nothing of the rest of the run. */
  ofCalls: boolean;
  /** Whether the waiting time of ranks is known. */
  waits: boolean;
  /** Number of ranks in a block: each rank has the mean of its block. */
  together: number;
}

const OF_RANKS: (keyof Filter)[] = ["ranks", "node"];
/** The further distinction of waits. */
const OF_WAITS: (keyof Filter)[] = ["communicator", "procedure"];

export function balanceOf(run: RunData): BalanceData {
  if (!run.balance) throw new Error("there is no balance");
  return run.balance;
}

export function rankTimes(run: RunData, selection: Selection): RankTimes {
  const { ranks } = balanceOf(run);
  const ofCalls = selection.chosen.some((key) => !OF_RANKS.includes(key));
  const waits = selection.chosen.every((key) => [...OF_RANKS, ...OF_WAITS].includes(key));
  const rows = Uint32Array.from(ranks.rank.keys()).filter((row) => selection.ranks[ranks.rank[row]]);
  const zeros = () => new Float64Array(rows.length);
  const parts = Object.fromEntries(PARTS.map((part) => [part, zeros()])) as Record<Part, Float64Array>;
  const seconds = ofCalls ? chosenSeconds(run, selection) : { mpi: ranks.mpi, files: ranks.files };
  const waited = waits ? waitedSeconds(run, selection) : null;
  rows.forEach((row, place) => {
    // The times of several threads are added up: a rank spent the mean of them.
    const threads = ranks.threads[row];
    const mpi = Math.min(seconds.mpi[row] / threads, ranks.run[row]);
    const files = Math.min(seconds.files[row] / threads, mpi);
    const rank = ranks.rank[row];
    const collectives = Math.min((waited?.collectives[rank] ?? 0) / threads, mpi - files);
    const messages = Math.min((waited?.messages[rank] ?? 0) / threads, mpi - files - collectives);
    parts.computing[place] = ofCalls ? 0 : ranks.run[row] - mpi;
    parts.collectives[place] = collectives;
    parts.messages[place] = messages;
    parts.files[place] = files;
    parts.rest[place] = mpi - files - collectives - messages;
  });
  return { rows, parts, ofCalls, waits, together: ofCalls ? run.cells.together : 1 };
}

/** Seconds of each row in the calls that are chosen, and of these in MPI-IO. */
function chosenSeconds(run: RunData, selection: Selection): { mpi: Float64Array; files: Float64Array } {
  const { ranks } = balanceOf(run);
  const { together, procedure, rank } = run.cells;
  const kinds = run.axes.procedures.class;
  const blocks = Math.ceil(run.axes.ranks / together);
  const sums = selection.sums(2 * blocks, (cell) =>
    kinds[procedure[cell]] === "input-output" ? blocks + rank[cell] : rank[cell],
  ).seconds;
  const found = { mpi: new Float64Array(ranks.rank.length), files: new Float64Array(ranks.rank.length) };
  const members = new Uint32Array(blocks);
  for (const one of ranks.rank) members[Math.floor(one / together)]++;
  ranks.rank.forEach((one: number, row: number) => {
    const block = Math.floor(one / together);
    found.files[row] = sums[blocks + block] / members[block];
    found.mpi[row] = sums[block] / members[block] + found.files[row];
  });
  return found;
}

function waitedSeconds(
  run: RunData,
  selection: Selection,
): { collectives: Float64Array; messages: Float64Array } {
  const { waits } = balanceOf(run);
  const found = {
    collectives: new Float64Array(run.axes.ranks),
    messages: new Float64Array(run.axes.ranks),
  };
  for (let one = 0; one < waits.rank.length; one++)
    if (selection.procedures[waits.procedure[one]] && selection.communicators[waits.communicator[one]]) {
      found.collectives[waits.rank[one]] += waits.collectives[one];
      found.messages[waits.rank[one]] += waits.messages[one];
    }
  return found;
}

export interface Spread {
  mean: number;
  most: number;
  /** Place of the first maximum. */
  at: number;
}

export function spread(values: Float64Array): Spread {
  let [sum, at] = [0, 0];
  values.forEach((value, place) => {
    sum += value;
    if (value > values[at]) at = place;
  });
  return { mean: values.length ? sum / values.length : 0, most: values.length ? values[at] : 0, at };
}

/** Host of a rank, '' = not known. */
export function hostOf(run: RunData, rank: number): string {
  return run.axes.hosts.at(run.axes.hostOf[rank]) ?? "";
}

/** `rank 3 (node02)`. */
export function rankName(run: RunData, rank: number): string {
  const host = hostOf(run, rank);
  return host ? `rank ${rank} (${host})` : `rank ${rank}`;
}
