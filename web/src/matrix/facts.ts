/** The content of a cell of the matrix, in words. */
import type { RunData } from "../contract.ts";
import { cellAt } from "../ui/sparse.ts";
import type { Facts } from "../ui/tip.ts";
import { byteText, countText, percentText } from "../units.ts";
import type { MessagesData } from "./contract.ts";
import type { View } from "./view.ts";

/** Number of communicators and calls that are listed for a pair. */
const MOST_CAUSES = 3;

export function factsOf(
  view: View,
  run: RunData,
  data: MessagesData,
  row: number,
  column: number,
): Facts | null {
  const { cells, ends, filtered } = view;
  const cell = cellAt(cells, row, column);
  if (cell < 0) return null;
  const [from, to] = [ends.rows.rank[row], ends.rows.rank[column]];
  const chosen = cells.chosen.messages[cell] > 0;
  const of = chosen ? cells.chosen : cells.all;
  const [bytes, messages] = [of.bytes[cell], of.messages[cell]];
  const rows: [string, string][] = [
    ["bytes", byteText(bytes)],
    ["messages", countText(messages)],
    ["mean size", byteText(messages ? bytes / messages : 0)],
  ];
  if (filtered && chosen && cells.all.messages[cell] > messages)
    rows.push([
      "of all",
      `${byteText(cells.all.bytes[cell])} in ${countText(cells.all.messages[cell])} messages`,
    ]);
  if (filtered && !chosen) rows.unshift(["not chosen", ""]);
  const what = ends.kind === "rank" ? `${ends.together > 1 ? "ranks" : "rank"} ` : "";
  return {
    head: `${what}${ends.name(from)} → ${ends.name(to)}`,
    note: `${ends.host(from)} → ${ends.host(to)}`,
    rows: [...rows, ...causes(view, run, data, cell, chosen)],
  };
}

/** The communicators and calls with the largest amounts. */
function causes(
  { cells, ends, taken }: View,
  { axes }: RunData,
  { groups, kinds }: MessagesData,
  cell: number,
  chosen: boolean,
): [string, string][] {
  const of = (chosen ? cells.chosen : cells.all).bytes[cell] ? "bytes" : "messages";
  const whole = (chosen ? cells.chosen : cells.all)[of][cell];
  const sums = new Map<number, number>();
  for (let at = cells.first[cell]; at < cells.first[cell + 1]; at++) {
    const entry = cells.entry[at];
    if (chosen && taken[entry] < 2) continue;
    const group = ends.entries.group[entry];
    sums.set(group, (sums.get(group) ?? 0) + ends.entries[of][entry]);
  }
  const found = [...sums].sort(([, one], [, other]) => other - one);
  const told = found.slice(0, MOST_CAUSES).map(([group, amount]): [string, string] => {
    const call = axes.procedures.name[groups.procedure[group]];
    const inside = kinds[groups.kind[group]] === "in-collective" ? ", inside" : "";
    const name = axes.communicators.label[groups.communicator[group]];
    return [`${call} on ${name}${inside}`, percentText(amount / whole)];
  });
  const rest = found.length - told.length;
  return rest > 0 ? [...told, [`${rest} more`, ""]] : told;
}
