/** Sums of rows and columns at the sides of a matrix, as bars. */

/** Room for the bars. */
export const SUMS = 40;
const GAP = 3;

export interface Sums {
  /** Of each column, and of each row. */
  above: Float64Array;
  right: Float64Array;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function drawSums(
  context: CanvasRenderingContext2D,
  { above, right }: Sums,
  { left, top, width, height }: Box,
  x: (column: number) => number,
  y: (row: number) => number,
  colour: string,
): void {
  context.fillStyle = colour;
  const long = SUMS - 2 * GAP;
  bars(above, [left, left + width], x, (from, to, part) => {
    context.fillRect(from, top - GAP - part * long, to - from, part * long);
  });
  bars(right, [top, top + height], y, (from, to, part) => {
    context.fillRect(left + width + GAP, from, part * long, to - from);
  });
}

/** Call with the visible bars, as fractions of the longest one; for bars that share a pixel, the longest. */
function bars(
  values: Float64Array,
  [low, high]: [number, number],
  place: (cell: number) => number,
  draw: (from: number, to: number, part: number) => void,
): void {
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  if (!(most > 0)) return;
  const pitch = place(1) - place(0);
  const first = Math.max(0, Math.floor((low - place(0)) / pitch));
  const end = Math.min(values.length, Math.ceil((high - place(0)) / pitch));
  // Whole pixels: otherwise neighbouring bars would shimmer.
  const pixel = (cell: number) => Math.round(Math.max(low, Math.min(high, place(cell))) - low) + low;
  const gap = pitch > 4 ? 1 : 0;
  for (let cell = first; cell < end;) {
    const from = pixel(cell);
    let longest = 0;
    do longest = Math.max(longest, values[cell++]);
    while (cell < end && pixel(cell) <= from);
    const to = Math.max(from + 1, pixel(cell) - gap);
    if (longest > 0) draw(from, to, longest / most);
  }
}
