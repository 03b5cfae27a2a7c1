/** The data of a matrix, and the drawings around it. */
import type { Mark, Named, Rule } from "./matrix_axes.ts";
import type { Sparse } from "./sparse.ts";
import type { Sums } from "./sums.ts";
import type { Facts } from "./tip.ts";

export interface MatrixData {
  label: string;
  rows: number;
  columns: number;
  /** Row by row; NaN: there is nothing; 0: nothing was sent. Of several cells a pixel shows the largest. */
  values: Float32Array;
  /** The highlighted part; null: all. */
  lit: Float32Array | null;
  hot: Uint8Array | null;
  logarithmic: boolean;
  most: number;
  rowName: (row: number) => string;
  columnName: (column: number) => string;
  rowTitle: string;
  columnTitle: string;
  text: ((value: number) => string) | null;
  facts: (row: number, column: number) => Facts | null;
  choose: (row: number, column: number) => void;
  /** A column below 0: all of the row. */
  chosen: [row: number, column: number] | null;
  /** Most pixels of a cell. */
  largest: number;
  highest: number;
  /** Cells are as high as they are wide. */
  square: boolean;
  /** Most pixels of a row, where it may be higher than a column is wide. */
  rowHeight?: number;
  margins?: Margins;
  /** The colours of cells, packed, if they are no amounts; then `lit`, `hot` and `most` are ignored. */
  colour?: (cell: number) => number;
  /** The number in a cell, in place of `text`. */
  cellText?: (cell: number) => string;
  /** Texts at rows and columns, in place of all their names, if a cell has so many pixels. */
  marks?: (pitch: number) => Mark[];
  /** Names of neighbouring columns, in place of their title. */
  groups?: Named[];
  /** Lines between cells. */
  rules?: Rule[];
  /** If most cells are empty: the others. `values`, `lit` and all other data by cell refer to these. */
  sparse?: Sparse;
  /** Bars above and at the right. */
  sums?: Sums;
}

/** The drawing around the cells, if columns have no names; it is updated when they are moved. */
export interface Margins {
  /** Pixels. */
  above: number;
  below: number;
  right: number;
  draw: (context: CanvasRenderingContext2D, place: Place) => void;
}

/** Where the cells are, in pixels. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
  x: (column: number) => number;
  y: (row: number) => number;
}
