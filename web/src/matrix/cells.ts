/** Messages added up to the cells of a matrix, in the order in which its rows and columns are shown. */
import type { Numbers } from "../ui/data.ts";
import type { Sparse } from "../ui/sparse.ts";

export interface Amounts {
  bytes: Float64Array;
  messages: Float64Array;
}

/** Of E entries, each from one end to another one in a group. */
export interface Entries {
  source: Numbers;
  destination: Numbers;
  group: Numbers;
  bytes: Numbers;
  messages: Numbers;
}

/** The cells in use: their amounts, and the chosen part of them. */
export interface Cells extends Sparse {
  all: Amounts;
  chosen: Amounts;
  /** The entries of cell c are entry[first[c]] to entry[first[c + 1]]. */
  first: Uint32Array;
  entry: Uint32Array;
}

/**
 * Add up.
 *
 * @param taken - of each entry: 0: excluded, 1: included, 2: chosen. @param place - of each end: its row and column, of
 * `size`.
 */
export function cellsOf(entries: Entries, taken: Uint8Array, place: Uint32Array, size: number): Cells {
  const { source, destination } = entries;
  let order = new Uint32Array(taken.length);
  let count = 0;
  for (let entry = 0; entry < taken.length; entry++) if (taken[entry]) order[count++] = entry;
  order = counted(order.subarray(0, count), size, (entry) => place[destination[entry]]);
  order = counted(order, size, (entry) => place[source[entry]]);
  const start = new Uint32Array(size + 1);
  const column = new Uint32Array(count);
  const first = new Uint32Array(count + 1);
  let cells = 0;
  let [row, last] = [-1, -1];
  for (let at = 0; at < count; at++) {
    const [from, to] = [place[source[order[at]]], place[destination[order[at]]]];
    if (from === row && to === last) continue;
    [row, last] = [from, to];
    start[row + 1]++;
    column[cells] = to;
    first[cells++] = at;
  }
  for (let one = 0; one < size; one++) start[one + 1] += start[one];
  first[cells] = count;
  const sums = (least: number): Amounts => {
    const found = { bytes: new Float64Array(cells), messages: new Float64Array(cells) };
    for (let cell = 0; cell < cells; cell++)
      for (let at = first[cell]; at < first[cell + 1]; at++) {
        if (taken[order[at]] < least) continue;
        found.bytes[cell] += entries.bytes[order[at]];
        found.messages[cell] += entries.messages[order[at]];
      }
    return found;
  };
  return {
    start,
    column: column.slice(0, cells),
    first: first.slice(0, cells + 1),
    entry: order,
    all: sums(1),
    chosen: sums(2),
  };
}

/** Stable sort by a number below `end`. */
function counted(order: Uint32Array, end: number, key: (entry: number) => number): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(end + 1);
  for (const entry of order) next[key(entry) + 1]++;
  for (let one = 0; one < end; one++) next[one + 1] += next[one];
  const sorted = new Uint32Array(order.length);
  for (const entry of order) sorted[next[key(entry)]++] = entry;
  return sorted;
}
