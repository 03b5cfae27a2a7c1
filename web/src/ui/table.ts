/** Tables that can be sorted by each of their columns, and whose rows can be chosen. */
import type { TableCell, TableData } from "./data.ts";
import { button, element } from "./dom.ts";
import { pickable, tableOf } from "./rows.ts";

/** Letters of a sentence: shorter texts are names. */
const LONG = 60;

export interface TableColumn<Row> {
  name: string;
  /** Of the values, a sentence without its subject. */
  meaning: string;
  right?: boolean;
  text: (row: Row) => string | Node;
  /** The value for sorting; null: none, last in any order. */
  value: (row: Row) => string | number | null;
  /** From 0 to 1: a bar below the text. */
  bar?: (row: Row) => number;
}

export interface Sorted {
  /** Name of a column; '' = as the rows were given. */
  by: string;
  descending: boolean;
}

export interface TableWays<Row> {
  /** A description of the table, for users who can't see it. */
  label: string;
  /** Replaces a table without rows. */
  empty: string;
  sorted?: Sorted;
  /** Called with another order. */
  sort?: (sorted: Sorted) => void;
  pick?: (row: Row) => void;
  isPicked?: (row: Row) => boolean;
  /** Lines below all rows. */
  sums?: (string | Node)[][];
  /** Number of rows that are shown at first. */
  most?: number;
}

export function dataTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  ways: TableWays<Row>,
): HTMLElement {
  if (!rows.length && !ways.sums?.length) return element("p", ways.empty, "empty");
  const sorted = ways.sorted ?? { by: "", descending: false };
  const head = element(
    "tr",
    columns.map((column) => headOf(column, sorted, ways.sort)),
  );
  const ordered = inOrder(columns, rows, sorted);
  const most = ways.most ?? Infinity;
  const lineOf = (one: Row) => {
    const line = element(
      "tr",
      columns.map((column) => cellOf(column, one)),
    );
    const { pick } = ways;
    if (pick) {
      line.classList.add("pick");
      pickable(line, () => {
        pick(one);
      });
    }
    if (ways.isPicked?.(one)) line.classList.add("now");
    return line;
  };
  const lines = ordered.slice(0, most).map(lineOf);
  const table = tableOf(head, lines);
  table.setAttribute("aria-label", ways.label);
  const foot = (ways.sums ?? []).map((cells) =>
    element(
      "tr",
      cells.map((cell, place) => element("td", cell, columns[place].right ? "number" : "name")),
      "sum",
    ),
  );
  if (foot.length) table.append(element("tfoot", foot));
  const rest = ordered.slice(most);
  const parts: Node[] = [element("div", table, "scroll-x")];
  if (rest.length) {
    const more = button(`show ${rest.length.toLocaleString("en")} more`, () => {
      table.tBodies[0].append(...rest.map(lineOf));
      more.remove();
    });
    more.className = "plain more";
    parts.push(more);
  }
  return element("div", parts);
}

/** A table in the format of `rankwise show`. */
export function givenTable(
  data: TableData,
  ways: Omit<TableWays<TableCell[]>, "sums" | "empty">,
): HTMLElement {
  const columns = data.columns.map(({ name, meaning, right }, place): TableColumn<TableCell[]> => ({
    name,
    meaning,
    right,
    text: (cells) => shown(cells[place]),
    value: (cells) => cells[place][1],
  }));
  const table = dataTable(columns, data.rows, {
    ...ways,
    empty: data.empty,
    sums: data.sums.map((cells) => cells.map(shown)),
  });
  const notes = data.notes.map((note) => element("p", note, "caption"));
  return element("div", [table, ...notes]);
}

/** The name of a column with its unit, unless the name contains it: `time (s)`, `% of MPI`, `calls/s`. */
function heading({ name, unit }: TableData["columns"][number]): string {
  const told = unit === "%" ? name.includes(unit) : unit === "1/s" && name.endsWith("/s");
  return unit && !told ? `${name} (${unit})` : name;
}

/** The same for a file: values if there are some, with all their digits. */
export function tableLines(data: TableData): (string | number)[][] {
  return [
    data.columns.map(heading),
    ...data.rows.map((cells) => cells.map(([text, value]) => value ?? text)),
  ];
}

function shown([text, , note, link]: TableCell): string | Node {
  if (link) {
    const made = element("a", text);
    made.href = link;
    return made;
  }
  if (!note || note === text) return text;
  // Some notes repeat the text, with its reason.
  const more = note.startsWith(text) ? note.slice(text.length) : ` ${note}`;
  return element("span", [text, element("span", more, "sub")]);
}

function headOf<Row>(
  column: TableColumn<Row>,
  sorted: Sorted,
  sort: ((sorted: Sorted) => void) | undefined,
): HTMLElement {
  const is = sorted.by === column.name;
  const head = element("th", [], column.right ? "number" : "name");
  head.scope = "col";
  head.title = column.meaning;
  if (!sort) {
    head.append(column.name);
    return head;
  }
  const made = button(column.name, () => {
    // Numbers are sorted from the largest on at first, names from A on.
    sort({ by: column.name, descending: is ? !sorted.descending : !!column.right });
  });
  made.dataset.key = `sort by ${column.name}`;
  if (is) made.append(sorted.descending ? " ↓" : " ↑");
  head.setAttribute("aria-sort", is ? (sorted.descending ? "descending" : "ascending") : "none");
  head.append(made);
  return head;
}

function cellOf<Row>(column: TableColumn<Row>, one: Row): HTMLElement {
  const cell = element("td", column.text(one), column.right ? "number" : "name");
  cell.classList.toggle("long", cell.textContent.length > LONG);
  if (column.bar) {
    const filled = element("span");
    filled.style.width = `${(100 * Math.max(0, Math.min(1, column.bar(one)))).toFixed(1)}%`;
    cell.append(element("span", filled, "bar"));
  }
  return cell;
}

/** The rows by a column, those without a value last; in the given order, if there is no such column. */
export function inOrder<Row>(
  columns: readonly Pick<TableColumn<Row>, "name" | "value">[],
  rows: readonly Row[],
  { by, descending }: Sorted,
): Row[] {
  const column = columns.find(({ name }) => name === by);
  const ordered = [...rows];
  if (!column) return ordered;
  const way = descending ? -1 : 1;
  return ordered.sort((one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === "number" && typeof b === "number") return way * (a - b);
    return way * String(a).localeCompare(String(b), "en", { numeric: true });
  });
}
