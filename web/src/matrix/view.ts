/** The shown part of the messages, as cells of a matrix, and sums of it. */
import { LEFT, type Selection } from "../shell/selection.ts";
import { type Amounts, type Cells, cellsOf } from "./cells.ts";
import type { MessagesData } from "./contract.ts";
import type { Ends } from "./ends.ts";
import { type Measure, shown, valueOf } from "./measures.ts";

/** Of messages, as `rankwise show --matrix --kind` names them. */
export const KINDS = ["all", "point-to-point", "in-collective", "one-sided"] as const;
export type Kind = (typeof KINDS)[number];

export interface Sum {
  bytes: number;
  messages: number;
}

export interface View {
  ends: Ends;
  measure: Measure;
  cells: Cells;
  /** Of each entry: 0: of another kind, 1: not chosen, 2: chosen. */
  taken: Uint8Array;
  /** Whether there is more than the chosen part. */
  filtered: boolean;
  /** The qualifier in titles of a total that is less than everything; '' = it is everything. */
  left: string;
  /** In the cells. */
  values: Float32Array;
  lit: Float32Array | null;
  total: Sum;
  /** Chosen, but without a row in any order of ranks. */
  unplaced: Sum;
  /** Chosen sums by row (sent) and by column (received). */
  sent: Float64Array;
  received: Float64Array;
}

/** Return which groups are of a kind, and which of them are chosen: 0, 1, 2. */
export function groupsTaken(data: MessagesData, selection: Selection, kind: Kind): Uint8Array {
  const { groups, kinds } = data;
  return Uint8Array.from({ length: groups.kind.length }, (_, group) => {
    if (kind !== "all" && kinds[groups.kind[group]] !== kind) return 0;
    const chosen =
      selection.communicators[groups.communicator[group]] && selection.procedures[groups.procedure[group]];
    return chosen ? 2 : 1;
  });
}

export function viewOf(
  data: MessagesData,
  selection: Selection,
  ends: Ends,
  kind: Kind,
  measure: Measure,
): View {
  const groups = groupsTaken(data, selection, kind);
  const { filter } = selection;
  const everyone = !filter.ranks && !filter.node;
  const is = ends.chosen(selection);
  const { group } = ends.entries;
  const taken = new Uint8Array(group.length);
  for (let entry = 0; entry < taken.length; entry++) {
    const of = groups[group[entry]];
    taken[entry] = of === 2 && !is(entry) ? 1 : of;
  }
  const cells = cellsOf(ends.entries, taken, ends.rows.row, ends.count);
  const filtered = Boolean(filter.communicator) || Boolean(filter.procedure) || !everyone;
  const values = shown(measure, cells.all);
  const unplaced = { bytes: 0, messages: 0 };
  groups.forEach((of, one) => {
    if (of < 2) return;
    unplaced.bytes += ends.unplaced.bytes[one];
    unplaced.messages += ends.unplaced.messages[one];
  });
  const rows = sums(ends.count, cells.chosen, rowOfEach(cells));
  const columns = sums(ends.count, cells.chosen, cells.column);
  const of = ({ bytes, messages }: Amounts) =>
    bytes.map((size, one) => valueOf(measure, size, messages[one]));
  return {
    ends,
    measure,
    cells,
    taken,
    filtered,
    left: filtered ? LEFT : "",
    values,
    lit: filtered ? shown(measure, cells.chosen) : null,
    total: { bytes: total(cells.chosen.bytes), messages: total(cells.chosen.messages) },
    unplaced,
    sent: of(rows),
    received: of(columns),
  };
}

export function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The row of each cell. */
export function rowOfEach({ start, column }: Cells): Uint32Array {
  const found = new Uint32Array(column.length);
  for (let row = 0; row + 1 < start.length; row++) found.fill(row, start[row], start[row + 1]);
  return found;
}

function sums(count: number, { bytes, messages }: Amounts, place: Uint32Array): Amounts {
  const found = { bytes: new Float64Array(count), messages: new Float64Array(count) };
  place.forEach((at, cell) => {
    found.bytes[at] += bytes[cell];
    found.messages[at] += messages[cell];
  });
  return found;
}
