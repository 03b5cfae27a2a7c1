/** The part of a sheet that is shown: rows with a value in a column, and rows with a text. */
import type { TableCell, TableData } from "../ui/data.ts";
import type { SeriesData } from "./contract.ts";

export interface Filter {
  /** In a cell of a row, in any case. */
  text: string;
  /** Values by the names of columns. */
  values: ReadonlyMap<string, string>;
}

export const EVERYTHING: Filter = { text: "", values: new Map() };

/** Name of the text in the address. */
const TEXT = "find";

export interface Choice {
  column: string;
  options: { value: string; text: string }[];
}

/** The columns to choose from, each with its values: numbers in ascending order, names as they appear. */
export function choices(tables: readonly TableData[]): Choice[] {
  const found = new Map<string, Map<string, TableCell>>();
  for (const { columns, rows } of tables)
    columns.forEach(({ name, choice }, place) => {
      if (!choice) return;
      const values = found.get(name) ?? new Map<string, TableCell>();
      found.set(name, values);
      for (const cells of rows) if (valueOf(cells[place])) values.set(valueOf(cells[place]), cells[place]);
    });
  return [...found].map(([column, values]) => ({
    column,
    options: [...values]
      .map(([value, cell]) => ({ value, cell }))
      .sort(({ cell: [, a] }, { cell: [, b] }) =>
        typeof a === "number" && typeof b === "number" ? a - b : 0,
      )
      .map(({ value, cell: [text] }) => ({ value, text })),
  }));
}

export interface Kept {
  rows: TableCell[][];
  /** Columns that are filtered by, and that the table does not have. */
  missing: string[];
}

/** The rows of a table that a filter leaves. A table without a column is not filtered by it. */
export function kept({ columns, rows }: TableData, { text, values }: Filter): Kept {
  const places = new Map(columns.map(({ name, choice }, place) => [name, choice ? place : -1]));
  const wanted = [...values].flatMap(([name, value]) => {
    const place = places.get(name) ?? -1;
    return place < 0 ? [] : [{ place, value }];
  });
  const lower = text.trim().toLowerCase();
  return {
    rows: rows.filter(
      (cells) =>
        wanted.every(({ place, value }) => isCalled(valueOf(cells[place]), value)) &&
        (!lower || cells.some(([shown]) => shown.toLowerCase().includes(lower))),
    ),
    missing: columns.some(({ choice }) => choice)
      ? [...values.keys()].filter((name) => (places.get(name) ?? -1) < 0)
      : [],
  };
}

/** Whether a filter leaves a series of a chart. Series on the whole run are left by all. */
export function isKept({ name, about }: SeriesData, { text, values }: Filter): boolean {
  const keys = Object.entries(about);
  if (!keys.length) return true;
  const found = name.toLowerCase().includes(text.trim().toLowerCase());
  return found && [...values].every(([key, value]) => !(key in about) || isCalled(about[key], value));
}

/**
 * Whether a name is meant. A communicator may be given without the name that the program gave to it: W_s1 "row". A
 * region with a slash at its end includes those nested in it.
 */
function isCalled(name: string, wanted: string): boolean {
  if (name === wanted || name.startsWith(`${wanted} "`)) return true;
  return wanted.endsWith("/") && `${name}/`.startsWith(wanted);
}

function valueOf([text, value]: TableCell): string {
  return value === null ? "" : typeof value === "number" ? String(value) : text;
}

export function toAddress({ text, values }: Filter): string {
  const found = new URLSearchParams(text ? [[TEXT, text]] : []);
  for (const [name, value] of values) found.append(name, value);
  return found.toString();
}

/** The filter of an address; names that are no columns to choose from are left out. */
export function fromAddress(address: string, columns: readonly Choice[]): Filter {
  const given = new URLSearchParams(address.replace(/^#/, ""));
  const known = new Set(columns.map(({ column }) => column));
  const values = new Map([...given].filter(([name, value]) => known.has(name) && value));
  return { text: given.get(TEXT) ?? "", values };
}
