/** Procedures × sizes: the calls of each pair, of each procedure, and of each size. */
import type { Selection } from "../shell/selection.ts";
import { type Amounts, added, amountsAt, called } from "../shell/amounts.ts";

export interface Cross {
  /** Indices into the axes, only for procedures and sizes in use: procedures by time, sizes ascending. */
  procedures: number[];
  sizes: number[];
  at: (procedure: number, size: number) => Amounts;
  ofProcedure: (procedure: number) => Amounts;
  ofSize: (size: number) => Amounts;
  all: Amounts;
}

export function cross(selection: Selection): Cross {
  const { axes, cells } = selection.run;
  const [procedures, sizes] = [axes.procedures.name.length, axes.sizes.length];
  const sums = selection.sums(procedures * sizes, (cell) => cells.procedure[cell] * sizes + cells.size[cell]);
  const at = (procedure: number, size: number) => amountsAt(sums, procedure * sizes + size);
  const every = (count: number) => Array.from({ length: count }, (_, place) => place);
  const byProcedure = every(procedures).map((one) => added(every(sizes).map((size) => at(one, size))));
  const bySize = every(sizes).map((size) => added(every(procedures).map((one) => at(one, size))));
  return {
    procedures: every(procedures)
      .filter((one) => called(byProcedure[one]))
      .sort((one, other) => byProcedure[other].seconds - byProcedure[one].seconds),
    sizes: every(sizes).filter((size) => called(bySize[size])),
    at,
    ofProcedure: (procedure) => byProcedure[procedure],
    ofSize: (size) => bySize[size],
    all: added(byProcedure),
  };
}
