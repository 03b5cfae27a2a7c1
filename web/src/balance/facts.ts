/** All numbers of a rank, shown under the pointer. */
import type { RunData } from "../contract.ts";
import { PART_NAMES, PARTS } from "../ui/parts.ts";
import type { Facts } from "../ui/tip.ts";
import { byteText, countText, percentText, ratioText, secondText } from "../units.ts";
import { balanceOf, hostOf, type RankTimes, rankName, spread } from "./model.ts";

export function rankFacts(run: RunData, times: RankTimes, place: number): Facts {
  const { ranks } = balanceOf(run);
  const { rows, parts, ofCalls } = times;
  const row = rows[place];
  const time = ranks.run[row];
  const told: [string, string][] = [];
  for (const part of PARTS) {
    const seconds = parts[part][place];
    const { most, mean } = spread(parts[part]);
    if (!most) continue;
    const share = time ? `, ${percentText(seconds / time)} of its run` : "";
    const compared = rows.length > 1 && mean ? `, ${ratioText(seconds / mean)} × mean` : "";
    told.push([PART_NAMES[part], secondText(seconds) + share + compared]);
  }
  if (!ofCalls) told.push(...wholeRun(run, row));
  return {
    head: rankName(run, ranks.rank[row]),
    note: ofCalls ? "in the selected calls" : "",
    rows: told,
  };
}

function wholeRun(run: RunData, row: number): [string, string][] {
  const { ranks } = balanceOf(run);
  const threads = ranks.threads[row];
  const top = ranks.top[row];
  const told: [string, string][] = [
    ["run", secondText(ranks.run[row])],
    ["in MPI", `${secondText(ranks.mpi[row])}, ${percentText(ofRun(run, row))} of its run`],
    ["MPI_Init, MPI_Finalize", secondText(ranks.initFinalize[row])],
    ["sent", byteText(ranks.sent[row])],
    ["received", byteText(ranks.received[row])],
    ["calls", countText(ranks.calls[row])],
  ];
  if (threads > 1) told.push(["threads in MPI", String(threads)]);
  if (top >= 0) told.push(["most time in", run.axes.procedures.name[top]]);
  if (!ranks.finalized) told.push(["state", ranks.states[ranks.state[row]]]);
  if (!hostOf(run, ranks.rank[row])) told.push(["node", "not known"]);
  return told;
}

/** Time in MPI of a rank during the run, times its threads. */
export function ofRun(run: RunData, row: number): number {
  const { ranks } = balanceOf(run);
  const most = ranks.run[row] * ranks.threads[row];
  return most ? Math.min(ranks.mpi[row] / most, 1) : 0;
}
