/** The pair that is chosen: all that was measured of it. */
import { element, row } from "../ui/dom.ts";
import { scrolled } from "../ui/rows.ts";
import type { Cell as Field } from "../ui/files.ts";
import type { ViewData } from "./contract.ts";
import { levelName, pairName, pooledText, withUnit } from "./facts.ts";
import { type Cell, type Model, valueAt } from "./model.ts";

export function pairTitle(model: Model, view: ViewData, cell: Cell | null): string {
  return cell ? pairName(model, view, cell) : "No pair is chosen";
}

export function pairCaption(model: Model, view: ViewData, cell: Cell | null): string {
  if (!cell) return "";
  const many = view.matrix.together > 1 ? ` Each value is ${pooledText(view)} of its cell.` : "";
  return `Level: ${levelName(model, view, cell)}.${many}`;
}

export function pairTable(model: Model, cell: Cell | null): HTMLElement {
  if (!cell)
    return element(
      "p",
      "Click a cell of the heat map, or go there with the arrow keys and press Enter.",
      "none",
    );
  const [head, ...lines] = table(model, cell, withUnit);
  const whole = element("table", [
    element("thead", row(head, 1, true)),
    element(
      "tbody",
      lines.map((fields) => row(fields)),
    ),
  ]);
  return scrolled(whole, "values of the pair", "sideways");
}

/** As lines with tabs between the fields, to be pasted. */
export function pairText(model: Model, view: ViewData, cell: Cell): string {
  const lines = table(model, cell, withUnit).map((fields) => fields.join("\t"));
  return [`${pairName(model, view, cell)}, ${levelName(model, view, cell)}`, ...lines].join("\n");
}

export function pairLines(model: Model, view: ViewData, cell: Cell | null): Field[][] {
  if (!cell) return [["size"]];
  return table<Field>(model, cell, (_of, value) => value).map((fields, place) =>
    place ? [pairName(model, view, cell), ...fields] : ["pair", ...fields],
  );
}

/** A line for each size; a column for each statistic, and both directions of bandwidths. */
function table<T>({ data }: Model, cell: Cell, tell: (view: ViewData, value: number) => T): (T | string)[][] {
  const back = { row: cell.column, column: cell.row };
  const columns = [...new Set(data.views.map((view) => view.statistic))].flatMap((statistic) => {
    const views = data.views.filter((view) => view.statistic === statistic);
    const { name, smallest } = views[0];
    const column = (head: string, at: Cell) => ({ views, head, at });
    return smallest ? [column(`${name} there`, cell), column(`${name} back`, back)] : [column(name, cell)];
  });
  const sizes = new Map(data.views.map((view) => [view.size, view.sizeName]));
  const lines = [...sizes].map(([size, sizeName]) => [
    sizeName,
    ...columns.map(({ views, at }) => {
      const found = views.find((view) => view.size === size);
      return found ? tell(found, valueAt(found, at)) : "";
    }),
  ]);
  return [["size", ...columns.map(({ head }) => head)], ...lines];
}
