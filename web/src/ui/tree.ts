/** Tables whose rows are a tree: the arrow keys go up and down, open and close; Enter chooses. */
import { element } from "./dom.ts";

export interface TreeColumn<Row> {
  name: string;
  /** Of the values, a sentence without its subject. */
  meaning: string;
  right?: boolean;
  /** The content of the cell; in the first column, next to the mark that opens and closes. */
  content: (row: Row) => string | readonly (string | Node)[];
}

export interface TreeLine<Row> {
  row: Row;
  /** From 1. */
  level: number;
  /** null: it has no lines below. */
  open: boolean | null;
  /** Its unique key. */
  key: string;
}

export interface TreeWays<Row> {
  label: string;
  isPicked: (row: Row) => boolean;
  isFaint: (row: Row) => boolean;
  pick: (row: Row) => void;
  /** Toggle between open and closed. */
  turn: (row: Row) => void;
}

export function treeTable<Row>(
  columns: readonly TreeColumn<Row>[],
  lines: readonly TreeLine<Row>[],
  ways: TreeWays<Row>,
): HTMLTableElement {
  const head = element(
    "tr",
    columns.map(({ name, meaning, right }) => {
      const cell = element("th", name, right ? "number" : "name");
      cell.scope = "col";
      cell.title = meaning;
      return cell;
    }),
  );
  const rows = lines.map((line) => rowOf(columns, line, ways));
  const first = rows.find((row) => row.classList.contains("now")) ?? rows.at(0);
  if (first) first.tabIndex = 0;
  const table = element("table", [element("thead", head), element("tbody", rows)], "tree");
  table.setAttribute("role", "treegrid");
  table.setAttribute("aria-label", ways.label);
  table.addEventListener("focusin", ({ target }) => {
    if (rows.some((row) => row === target)) for (const row of rows) row.tabIndex = row === target ? 0 : -1;
  });
  table.addEventListener("keydown", (event) => {
    const at = rows.findIndex((row) => row === event.target);
    if (at >= 0 && keyed(event.key, at, lines, rows, ways)) event.preventDefault();
  });
  return table;
}

function rowOf<Row>(
  columns: readonly TreeColumn<Row>[],
  line: TreeLine<Row>,
  ways: TreeWays<Row>,
): HTMLTableRowElement {
  const made = element(
    "tr",
    columns.map((column, place) => {
      const content = column.content(line.row);
      const cell = element("td", content, column.right ? "number" : "name");
      if (place) return cell;
      const turn = element("span", line.open === null ? "" : line.open ? "▾" : "▸", "turn");
      turn.setAttribute("aria-hidden", "true");
      if (line.open !== null)
        turn.addEventListener("click", (event) => {
          event.stopPropagation();
          ways.turn(line.row);
        });
      cell.prepend(turn);
      cell.style.setProperty("--level", String(line.level - 1));
      return cell;
    }),
    "pick",
  );
  made.setAttribute("aria-level", String(line.level));
  if (line.open !== null) made.setAttribute("aria-expanded", String(line.open));
  made.dataset.key = `line ${line.key}`;
  made.tabIndex = -1;
  const picked = ways.isPicked(line.row);
  made.setAttribute("aria-selected", String(picked));
  made.classList.toggle("now", picked);
  made.classList.toggle("faint", ways.isFaint(line.row));
  made.addEventListener("click", () => {
    ways.pick(line.row);
  });
  return made;
}

/** Carry out a key on a line; false: it has no function. */
function keyed<Row>(
  key: string,
  at: number,
  lines: readonly TreeLine<Row>[],
  rows: readonly HTMLElement[],
  ways: TreeWays<Row>,
): boolean {
  const { row, open, level } = lines[at];
  if (key === "Enter" || key === " ") ways.pick(row);
  else if (key === "ArrowDown") rows.at(at + 1)?.focus();
  else if (key === "ArrowUp") rows[Math.max(0, at - 1)].focus();
  else if (key === "Home") rows[0].focus();
  else if (key === "End") rows.at(-1)?.focus();
  else if (key === "ArrowRight") {
    if (open === false) ways.turn(row);
    else if (open) rows.at(at + 1)?.focus();
  } else if (key === "ArrowLeft") {
    if (open) ways.turn(row);
    else {
      let above = at;
      while (above >= 0 && lines[above].level >= level) above--;
      if (above >= 0) rows[above].focus();
    }
  } else return false;
  return true;
}
