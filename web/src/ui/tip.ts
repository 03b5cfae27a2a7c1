/** The facts about the item under the pointer. */
import { byId, element, row } from "./dom.ts";

export interface Facts {
  head: string;
  note: string;
  rows: [string, string][];
}

const GAP = 14;

export function factsTable(rows: readonly [string, string][]): HTMLTableElement {
  return element(
    "table",
    rows.map((cells) => row(cells)),
  );
}

export function showTip(facts: Facts | null, x: number, y: number): void {
  const tip = byId("tip");
  tip.hidden = !facts;
  if (!facts) return;
  tip.replaceChildren(element("strong", facts.head), element("p", facts.note), factsTable(facts.rows));
  const width = tip.offsetWidth + GAP;
  const left = x + GAP + width > window.innerWidth ? x - width : x + GAP;
  const lowest = window.innerHeight - tip.offsetHeight - 8;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.max(8, Math.min(y + GAP, lowest))}px`;
}

export function hideTip(): void {
  byId("tip").hidden = true;
}
