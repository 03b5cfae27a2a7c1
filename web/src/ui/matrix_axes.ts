/** The margins of the cells of a matrix, and the lines between them. */

/** Height of a title. */
export const TITLE = 16;
/** Distance from one name to the next one. */
export const LINE = 13;
/** Least pixels of a group whose name is written. */
const LEAST_NAMED = 24;

/** A name at a place along an axis, in cells: 0.5 is the middle of the first one. */
export interface Mark {
  at: number;
  text: () => string;
}

/** Neighbouring columns, from the first to the column after the last. */
export interface Named {
  start: number;
  stop: number;
  text: string;
}

/** A line before the row, and the column, `at`, as long as the cells from the first to the cell after the last. */
export interface Rule {
  at: number;
  from: number;
  to: number;
  width: number;
}

/** Of cells from the first to the cell after the last. */
export function everyCell([first, end]: [number, number], name: (place: number) => string): Mark[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, place) => ({
    at: first + place + 0.5,
    text: () => name(first + place),
  }));
}

export function rules(
  context: CanvasRenderingContext2D,
  lines: readonly Rule[],
  colour: string,
  x: (column: number) => number,
  y: (row: number) => number,
): void {
  context.strokeStyle = colour;
  for (const { at, from, to, width } of lines) {
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x(at), y(from));
    context.lineTo(x(at), y(to));
    context.moveTo(x(from), y(at));
    context.lineTo(x(to), y(at));
    context.stroke();
  }
}

/** Write the names of groups in the middle of their visible parts, as far as there is room. */
export function namesAbove(
  context: CanvasRenderingContext2D,
  groups: readonly Named[],
  [left, right]: [number, number],
  x: (column: number) => number,
): void {
  context.save();
  context.textAlign = "center";
  for (const { start, stop, text } of groups) {
    const [from, to] = [Math.max(left, x(start)), Math.min(right, x(stop))];
    if (to - from < LEAST_NAMED) continue;
    let shown = text;
    while (shown.length > 1 && context.measureText(`${shown}…`).width > to - from - 4)
      shown = shown.slice(0, -1);
    context.fillText(shown === text ? text : `${shown}…`, (from + to) / 2, 7);
  }
  context.restore();
}
