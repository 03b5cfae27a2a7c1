/** A matrix with mostly empty cells: stores only the cells in use, independent of its size. */

/** The cells in use, row by row, ascending by column: row r has the cells start[r] to start[r + 1]. */
export interface Sparse {
  start: Uint32Array;
  column: Uint32Array;
}

/** Pixels of the cells along one direction: cell c begins at offset + c * pitch. */
export interface Pitch {
  offset: number;
  pitch: number;
  pixels: number;
}

/** Return a cell by its place; -1: it is not in use. */
export function cellAt({ start, column }: Sparse, row: number, wanted: number): number {
  const found = firstFrom(column, start[row], start[row + 1], wanted);
  return found < start[row + 1] && column[found] === wanted ? found : -1;
}

/** Return the row of a cell. */
export function rowOf({ start }: Sparse, cell: number): number {
  return firstFrom(start, 0, start.length, cell + 1) - 1;
}

export class SparsePixels {
  /** The cell that each pixel shows; -1: none. */
  private shown = new Int32Array(0);
  private width = 0;

  constructor(
    readonly sparse: Sparse,
    /** The sort key of cells: of several cells, a pixel shows the largest. */
    private readonly weights: Float32Array,
    private readonly colours: Uint32Array,
  ) {}

  paint(pixels: Uint32Array, x: Pitch, y: Pitch, ground: number): void {
    const { sparse, weights, colours } = this;
    const { start, column } = sparse;
    if (this.shown.length !== pixels.length) this.shown = new Int32Array(pixels.length);
    const { shown } = this;
    this.width = x.pixels;
    shown.fill(-1);
    const [firstColumn, endColumn] = visible(x, Infinity);
    const [firstRow, endRow] = visible(y, start.length - 1);
    for (let row = firstRow; row < endRow; row++) {
      const [top, bottom] = extent(y, row);
      const end = start[row + 1];
      for (let cell = firstFrom(column, start[row], end, firstColumn); cell < end; cell++) {
        if (column[cell] >= endColumn) break;
        const [left, right] = extent(x, column[cell]);
        const weight = weights[cell];
        for (let line = top; line < bottom; line++)
          for (let at = line * x.pixels + left; at < line * x.pixels + right; at++)
            if (shown[at] < 0 || weight > weights[shown[at]]) shown[at] = cell;
      }
    }
    for (let at = 0; at < pixels.length; at++) pixels[at] = shown[at] < 0 ? ground : colours[shown[at]];
  }

  /** Return the cell that a pixel shows; -1: none. */
  at(x: number, y: number): number {
    return x >= 0 && x < this.width ? (this.shown.at(y * this.width + x) ?? -1) : -1;
  }
}

/** Return the first visible cell, and the cell after the last. */
function visible({ offset, pitch, pixels }: Pitch, cells: number): [number, number] {
  return [Math.max(0, Math.floor(-offset / pitch)), Math.min(cells, Math.ceil((pixels - offset) / pitch))];
}

/** Return the first pixel of a cell, and the pixel after the last: at least one, as far as it is visible. */
function extent({ offset, pitch, pixels }: Pitch, cell: number): [number, number] {
  const from = Math.floor(offset + cell * pitch + 1e-6);
  const to = Math.max(from + 1, Math.floor(offset + (cell + 1) * pitch + 1e-6));
  return [Math.max(0, from), Math.min(pixels, to)];
}

/** Return the first of the ascending numbers, from `low` on, that is not less than the given one. */
function firstFrom(numbers: Uint32Array, low: number, high: number, wanted: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
