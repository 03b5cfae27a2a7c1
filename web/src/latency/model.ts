/** The measurement: values of pairs, their ranks, and their height on the scale of a view. */
import type { LatencyData, ViewData } from "./contract.ts";

/** Height above which a value is beyond the scale: its ends are rounded. */
export const END = 1 + 1e-6;
/** Represents the height of a pair that was not measured. */
export const MISSING = -1;

/** Of the matrix of a view. */
export interface Cell {
  row: number;
  column: number;
}

/** Two places: a view has its pair in the cell that contains them. */
export type Pair = readonly [one: number, other: number];

export class Model {
  readonly size: number;

  constructor(readonly data: LatencyData) {
    this.size = data.ranks.length;
  }

  host(place: number): string {
    return this.data.hosts[this.data.hostOf[place]];
  }

  /** A rank with the short name of its host. */
  name(place: number): string {
    return `${this.data.shortHosts[this.data.hostOf[place]]} ${this.data.ranks[place]}`;
  }

  /** Index of the innermost level at which two places are in one group. */
  level(one: number, other: number): number {
    const found = this.data.levels.findIndex((groups) => groups[one] === groups[other]);
    return found < 0 ? this.data.classes.length - 1 : found;
  }

  /** The view of a statistic and a size, or -1. */
  find(statistic: string, size: number): number {
    return this.data.views.findIndex((view) => view.statistic === statistic && view.size === size);
  }
}

function indexOf({ matrix }: ViewData, row: number, column: number): number {
  if (!matrix.symmetric) return row * matrix.cells + column;
  const [low, high] = row <= column ? [row, column] : [column, row];
  return low * matrix.cells - (low * (low - 1)) / 2 + (high - low);
}

/** us or MB/s; NaN: it was not measured. */
export function valueAt(view: ViewData, { row, column }: Cell): number {
  return view.matrix.values[indexOf(view, row, column)];
}

/** The places of the worst pair of a cell. */
export function pairAt(view: ViewData, { row, column }: Cell, places: number): Pair {
  const { together, where, symmetric } = view.matrix;
  if (!where) return [row, column];
  const place = where[indexOf(view, row, column)];
  const inside = [Math.floor(place / together), place % together];
  if (symmetric && row > column) inside.reverse();
  const last = places - 1;
  return [Math.min(row * together + inside[0], last), Math.min(column * together + inside[1], last)];
}

/** The cell of a pair. */
export function cellOf({ matrix }: ViewData, [one, other]: Pair): Cell {
  return { row: Math.floor(one / matrix.together), column: Math.floor(other / matrix.together) };
}

/** Whether a cell is a rank and itself. */
export function isOwn({ matrix }: ViewData, { row, column }: Cell, places: number): boolean {
  return row === column && (matrix.together === 1 || row * matrix.together === places - 1);
}

/** Return a function: 0 for fast, 1 for slow, more for beyond the scale. */
export function heightBy(view: ViewData, logarithmic: boolean): (value: number) => number {
  const { fast, slow } = view;
  const span = logarithmic ? Math.log(slow / fast) : slow - fast;
  return logarithmic
    ? (value) => Math.max(Math.log(value / fast) / span, 0)
    : (value) => Math.max((value - fast) / span, 0);
}

/** The height of each cell, row by row: MISSING where nothing was measured, NaN of ranks with themselves. */
export function heights(view: ViewData, logarithmic: boolean, places: number): Float32Array {
  const { cells, values, symmetric } = view.matrix;
  const height = heightBy(view, logarithmic);
  const found = new Float32Array(cells * cells);
  let next = 0;
  for (let row = 0; row < cells; row++)
    for (let column = symmetric ? row : 0; column < cells; column++) {
      const value = values[next++];
      const at = Number.isNaN(value) ? MISSING : height(value);
      found[row * cells + column] = at;
      if (symmetric) found[column * cells + row] = at;
    }
  for (let row = 0; row < cells; row++)
    if (isOwn(view, { row, column: row }, places)) found[row * cells + row] = NaN;
  return found;
}

/** The cell with the worst value; null: there is no value. */
export function worstCell(view: ViewData): Cell | null {
  const { cells, values, symmetric } = view.matrix;
  let best: Cell | null = null;
  let worst = NaN;
  let next = 0;
  for (let row = 0; row < cells; row++)
    for (let column = symmetric ? row : 0; column < cells; column++) {
      const value = values[next++];
      if (Number.isNaN(value) || (view.smallest ? value >= worst : value <= worst)) continue;
      worst = value;
      best = { row, column };
    }
  return best;
}

/** How many times slower a value is than another one. */
export function slower(view: ViewData, value: number, than: number): number {
  return view.smallest ? than / value : value / than;
}
