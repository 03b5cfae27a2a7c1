/** The orders of ranks. */
import type { Axes } from "../contract.ts";
import type { Mapping } from "./mapping.ts";

export const ORDERS = ["rank", "node", "file"] as const;
export type Order = (typeof ORDERS)[number];

/** The rank in each row, and the row of each rank. */
export interface Rows {
  rank: Uint32Array;
  row: Uint32Array;
}

export function rowsOf(count: number, rank?: Uint32Array): Rows {
  const ranks = rank ?? Uint32Array.from({ length: count }, (_, one) => one);
  const row = new Uint32Array(count);
  ranks.forEach((one, place) => (row[one] = place));
  return { rank: ranks, row };
}

/** Host by host; ranks with unknown hosts come last. */
export function byNode({ ranks, hostOf }: Axes): Uint32Array {
  return Uint32Array.from({ length: ranks }, (_, rank) => rank).sort(
    (one, other) => hostOf[one] - hostOf[other] || one - other,
  );
}

/** Whether ranks of a node are adjacent in the given order. */
export function followNodes(axes: Axes): boolean {
  return byNode(axes).every((rank, place) => rank === place);
}

export function rowsIn(order: Order, axes: Axes, count: number, mapping: Mapping | null): Rows {
  if (count !== axes.ranks || order === "rank") return rowsOf(count);
  if (order === "node") return rowsOf(count, byNode(axes));
  return rowsOf(count, mapping?.order);
}
