/** The main finding of a matrix, as a sentence. */
import { percentText } from "../units.ts";
import { amountText } from "./measures.ts";
import { rowOfEach, type View } from "./view.ts";

/** Threshold for naming a pair: times the mean. */
const MANY_TIMES = 4;
/** Thresholds for messages between neighbours: share of all, and multiple of the share with uniform traffic. */
const [MOSTLY_NEAR, NEARER] = [0.5, 0.4];
/** Up to this ratio traffic is uniform. */
const ALIKE = 1.05;

export function finding(view: View): string {
  const { cells, ends, measure, total, left } = view;
  if (!total.messages) return "No messages in this part of the run";
  const rows = rowOfEach(cells);
  if (measure === "size") return sizes(view, rows);
  const of = total.bytes ? measure : "messages";
  const amounts = cells.chosen[of];
  let [near, within, used, best] = [0, 0, 0, -1];
  for (let cell = 0; cell < amounts.length; cell++) {
    const [from, to] = [ends.rows.rank[rows[cell]], ends.rows.rank[cells.column[cell]]];
    const apart = Math.abs(from - to);
    if (apart === 1 || (ends.count > 2 && apart === ends.count - 1)) near += amounts[cell];
    if (from === to) within += amounts[cell];
    if (amounts[cell]) used++;
    if (ends.kind === "node" && from === to) continue;
    if (best < 0 || amounts[cell] > amounts[best]) best = cell;
  }
  const whole = total[of];
  if (best < 0 || !amounts[best]) return `All ${of} stay within their nodes`;
  const [from, to] = [ends.rows.rank[rows[best]], ends.rows.rank[cells.column[best]]];
  const amount = `${amountText(of, amounts[best])}, ${percentText(amounts[best] / whole)} of the ${of}${left}`;
  const pair = `${ends.name(from)} → ${ends.name(to)} carries most: ${amount}`;
  if (ends.kind === "node")
    return `${percentText((whole - within) / whole)} of the ${of} leave their node; ${pair}`;
  if (ends.together === 1 && goesToNeighbours(near / whole, ends.count))
    return `${percentText(near / whole)} of the ${of}${left} go between neighbouring ranks`;
  const times = (amounts[best] * used) / whole;
  if (times >= MANY_TIMES || used === 1) return `${ends.together > 1 ? "Ranks" : "Rank"} ${pair}`;
  const pairs = `${used.toLocaleString("en")} pairs of ${ends.together > 1 ? `blocks of ${ends.together} ranks` : "ranks"}`;
  if (times < ALIKE) return `All ${pairs} carry alike: ${amountText(of, whole / used)} each`;
  return `${pairs} carry ${amountText(of, whole)}, none more than ${times.toFixed(1)} times the mean`;
}

/** Whether clearly more goes between neighbours in a ring of ranks than with uniform traffic. */
export function goesToNeighbours(share: number, ranks: number): boolean {
  if (ranks <= 3) return false;
  const uniform = 2 / (ranks - 1);
  return share >= MOSTLY_NEAR && share - uniform >= NEARER * (1 - uniform);
}

/** The share of the bytes that leaves its node, in a sentence. */
export function leaving({ cells, total }: View): string {
  const rows = rowOfEach(cells);
  let within = 0;
  rows.forEach((row, cell) => {
    if (row === cells.column[cell]) within += cells.chosen.bytes[cell];
  });
  return `${percentText(total.bytes ? 1 - within / total.bytes : 0)} of the bytes`;
}

function sizes({ ends, cells, total }: View, rows: Uint32Array): string {
  const { bytes, messages } = cells.chosen;
  const mean = (cell: number) => (messages[cell] ? bytes[cell] / messages[cell] : 0);
  let best = 0;
  for (let cell = 1; cell < rows.length; cell++) if (mean(cell) > mean(best)) best = cell;
  const [from, to] = [rows[best], cells.column[best]].map((row) => ends.name(ends.rows.rank[row]));
  const whole = amountText("bytes", total.bytes / total.messages);
  return `A message has ${whole} on average; those of ${from} → ${to} are the largest: ${amountText("bytes", mean(best))}`;
}
