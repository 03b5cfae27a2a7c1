/** The chosen pair: all its measurements. */
import { element, row } from "../ui/dom.ts";
import type { Cell as Field } from "../ui/files.ts";
import { scrolled } from "../ui/rows.ts";
import type { ViewData } from "./contract.ts";
import { pairName, pooledText, valuesOf, withUnit } from "./facts.ts";
import type { Model, Pair } from "./model.ts";

export function pairTitle(model: Model, view: ViewData, pair: Pair | null): string {
  return pair ? pairName(model, view, pair) : "No pair is selected";
}

export function pairCaption(model: Model, pair: Pair | null): string {
  if (!pair) return "";
  const pooled = model.data.views.filter((view) => view.matrix.together > 1);
  const told = pooled.map((view) => `${view.name} of ${view.sizeName}: ${pooledText(view)} around it`);
  return [`Level: ${level(model, pair)}`, ...told].join("; ") + ".";
}

function level(model: Model, pair: Pair): string {
  return model.data.classes[model.level(...pair)];
}

export function pairTable(model: Model, pair: Pair | null): HTMLElement {
  if (!pair)
    return element(
      "p",
      "Click a cell of the heat map, or go there with the arrow keys and press Enter.",
      "none",
    );
  const [head, ...lines] = table(model, pair, withUnit);
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
export function pairText(model: Model, view: ViewData, pair: Pair): string {
  const lines = table(model, pair, withUnit).map((fields) => fields.join("\t"));
  return [`${pairName(model, view, pair)}, ${level(model, pair)}`, ...lines].join("\n");
}

export function pairLines(model: Model, view: ViewData, pair: Pair | null): Field[][] {
  if (!pair) return [["pair", "size"]];
  return table<Field>(model, pair, (_of, value) => value).map((fields, place) =>
    place ? [pairName(model, view, pair), ...fields] : ["pair", ...fields],
  );
}

/** A line for each size; a column for each statistic, and both directions of bandwidths. */
function table<T>({ data }: Model, pair: Pair, tell: (view: ViewData, value: number) => T): (T | string)[][] {
  const heads = [...new Set(data.views.flatMap((view) => valuesOf(view, pair).map(([name]) => name)))];
  const sizes = new Map(data.views.map((view) => [view.size, view.sizeName]));
  const lines = [...sizes].map(([size, sizeName]) => {
    const found = new Map<string, T>();
    for (const view of data.views.filter((one) => one.size === size))
      for (const [name, value] of valuesOf(view, pair)) found.set(name, tell(view, value));
    return [sizeName, ...heads.map((head) => found.get(head) ?? "")];
  });
  return [["size", ...heads], ...lines];
}
