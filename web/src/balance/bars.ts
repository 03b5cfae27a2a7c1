/** Shared by the bars of this page: their order, nodes, and the legend. */
import type { RunData } from "../contract.ts";
import { element } from "../ui/dom.ts";
import { balanceOf } from "./model.ts";

export interface Entry {
  colour: string;
  text: string;
}

/** The meaning of the colours. */
export function entries(of: readonly Entry[]): HTMLElement {
  return element(
    "div",
    of.map(({ colour, text }) => {
      const dot = element("span", [], "dot");
      dot.style.background = colour;
      return element("span", [dot, text], "entry");
    }),
    "legend",
  );
}

/** Places of rows in the order of ranks, of nodes, or of values, the largest first. */
export function sortedRows(
  run: RunData,
  rows: Uint32Array,
  order: string,
  values: Float64Array | null,
): Uint32Array {
  const { rank } = balanceOf(run).ranks;
  const { hostOf } = run.axes;
  const places = Uint32Array.from(rows.keys());
  if (values) return places.sort((one, other) => values[other] - values[one] || one - other);
  if (order === "node")
    return places.sort((one, other) => hostOf[rank[rows[one]]] - hostOf[rank[rows[other]]] || one - other);
  return places;
}

/** Where each node's bars begin. */
export function groupsOf(count: number, host: (bar: number) => string): { first: number; name: string }[] {
  const found: { first: number; name: string }[] = [];
  for (let bar = 0; bar < count; bar++) {
    const name = host(bar);
    if (found.at(-1)?.name !== name) found.push({ first: bar, name });
  }
  return found;
}
