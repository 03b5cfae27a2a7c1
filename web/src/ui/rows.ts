/** Rows of a table that can be chosen: one stop of the tab key for all of them, arrow keys within. */
import { element } from "./dom.ts";

/** Let a row be chosen with the pointer, and with Enter and the space bar. */
export function pickable(line: HTMLElement, act: () => void): void {
  line.tabIndex = -1;
  line.addEventListener("click", act);
  line.addEventListener("focus", () => {
    for (const other of line.parentElement?.children ?? [])
      if (other instanceof HTMLElement) other.tabIndex = other === line ? 0 : -1;
  });
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") act();
    else {
      const next = neighbour(line, event.key);
      if (next === undefined) return;
      if (next instanceof HTMLElement) next.focus();
    }
    event.preventDefault();
  });
}

function neighbour(line: HTMLElement, key: string): Element | null | undefined {
  if (key === "ArrowDown") return line.nextElementSibling;
  if (key === "ArrowUp") return line.previousElementSibling;
  if (key === "Home") return line.parentElement?.firstElementChild;
  return key === "End" ? line.parentElement?.lastElementChild : undefined;
}

/** A table whose rows are pickable: the tab key goes to the chosen row, or the first one. */
export function tableOf(head: HTMLElement, lines: readonly HTMLElement[]): HTMLTableElement {
  const first = lines.find((line) => line.classList.contains("now")) ?? lines.at(0);
  if (first) first.tabIndex = 0;
  return element("table", [element("thead", head), element("tbody", lines)]);
}

/** A table that may be larger than its frame: keys scroll it, too. */
export function scrolled(table: HTMLTableElement, label: string, className = "scroll"): HTMLElement {
  const whole = element("div", [table], className);
  whole.tabIndex = 0;
  whole.setAttribute("role", "region");
  whole.setAttribute("aria-label", label);
  return whole;
}
