/** The visible cells as a table. */
import type { Cell as Field } from "../ui/files.ts";
import type { Part } from "../ui/matrix.ts";
import type { ViewData } from "./contract.ts";
import { isOwn, type Model, pairAt, valueAt } from "./model.ts";

/** A line for each cell; in a symmetric matrix, only one of two equal cells. */
export function* cellLines(model: Model, view: ViewData, seen: Part): Generator<Field[]> {
  const { symmetric, together } = view.matrix;
  const { data } = model;
  const value = `${view.statistic}_${view.unit.replace("/", "_per_")}`;
  yield ["rank", "host", "other_rank", "other_host", "level", "bytes", value, "pairs_in_cell"];
  for (let row = seen.rows[0]; row < seen.rows[1]; row++)
    for (let column = seen.columns[0]; column < seen.columns[1]; column++) {
      const cell = { row, column };
      const mirrored = column >= seen.rows[0] && column < seen.rows[1] && row >= seen.columns[0];
      if (isOwn(view, cell, model.size) || (symmetric && column < row && mirrored && row < seen.columns[1]))
        continue;
      const [one, other] = pairAt(view, cell, model.size);
      const level = data.classes[model.level(one, other)];
      const ends = [data.ranks[one], model.host(one), data.ranks[other], model.host(other)];
      yield [...ends, level, view.size, valueAt(view, cell), together * together];
    }
}
