/** Pairs that are outliers in their level. */
import { element, row } from "../ui/dom.ts";
import { scrolled } from "../ui/rows.ts";
import type { Cell } from "../ui/files.ts";
import type { LatencyData } from "./contract.ts";

export function outlierTable({ outliers, hierarchy }: LatencyData): HTMLElement {
  if (!outliers.length) {
    const why = hierarchy
      ? "No pair and no node differs from its level by more than the usual spread of pairs within the level."
      : "Not checked: the measurement shows no levels. Measure more ranks on more nodes.";
    return element("p", why, "none");
  }
  const lines = outliers.map(({ kind, where, size, measured, others, verdict }) => {
    const told = element("div", verdict ? `${kind}, ${verdict}` : kind, "sub");
    const what = element("div", [element("strong", where), told]);
    return row([what, size, measured, others]);
  });
  const head = element("thead", row(["what", "size", "measured", "others"], 1, true));
  return scrolled(element("table", [head, element("tbody", lines)]), "outliers");
}

export function outlierLines({ outliers }: LatencyData): Cell[][] {
  const lines = outliers.map(({ kind, where, size, measured, others, verdict }) => [
    kind,
    where,
    size,
    measured,
    others,
    verdict,
  ]);
  return [["kind", "where", "size", "measured", "others", "verdict"], ...lines];
}
