/** Types of the data of all pages. */

/** A column: a typed array of the container (container.ts). */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** A table in the format of `rankwise show`. */
export interface TableData {
  title: string;
  /** `meaning`: of the values. `choice`: sheets of many runs can be filtered by them. */
  columns: { name: string; meaning: string; right: boolean; unit: string; choice?: true }[];
  rows: TableCell[][];
  /** Lines below the rows. */
  sums: TableCell[][];
  /** Replaces a table without rows. */
  empty: string;
  notes: string[];
}

/** The displayed text, the value, a sentence on it if there is one (or an empty one), and the address of its report. */
export type TableCell = [text: string, value: string | number | null, note?: string, link?: string];
