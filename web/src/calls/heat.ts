/** The heat table: a row a procedure, a column a size, each cell coloured by its amount. */
import { inkOn, stepOf } from "../ui/colours.ts";
import { element } from "../ui/dom.ts";
import { walkable } from "../ui/grid.ts";
import type { Context } from "../shell/context.ts";
import type { Cross } from "./cross.ts";
import { type Amounts, called } from "../shell/amounts.ts";
import type { Measure } from "./measures.ts";

export function heatTable(context: Context, found: Cross, measure: Measure): HTMLTableElement {
  const { axes } = context.run;
  const { filter } = context.state;
  const { theme } = context;
  const { procedures, sizes } = found;
  const value = (of: Amounts) => measure.value(of) ?? 0;
  const most = Math.max(0, ...procedures.flatMap((one) => sizes.map((size) => value(found.at(one, size)))));
  const { sizes: masks } = context.selection;
  const sizeChosen = (size: number) => (filter.sizeFrom || filter.sizeTo ? !!masks[size] : false);
  const onlySize = (size: number) =>
    [filter.sizeFrom, filter.sizeTo].every((end) => end === axes.sizes[size]);

  const head = element("tr", [
    corner(),
    headCell(["all"], "col", false, null),
    ...sizes.map((size) => {
      const cell = headCell(sizeLines(axes.sizes[size]), "col", sizeChosen(size), () => {
        const name = onlySize(size) ? "" : axes.sizes[size];
        context.filter({ sizeFrom: name, sizeTo: name });
      });
      cell.dataset.key = `size ${axes.sizes[size]}`;
      if (axes.sizes[size] === "other")
        cell.title = "calls that never returned, and sizes for which there was no room";
      return cell;
    }),
  ]);
  const lines = procedures.map((procedure) => {
    const name = axes.procedures.name[procedure];
    const title = headCell([name], "row", filter.procedure === name, () => {
      context.toggle("procedure", name);
    });
    title.title = name;
    title.dataset.key = `call ${name}`;
    const cells = sizes.map((size) => {
      const of = found.at(procedure, size);
      const cell = amountCell(of, measure);
      if (!called(of)) return cell;
      const amount = value(of);
      if (amount > 0 && amount < most / 1000) cell.classList.add("little");
      else if (amount > 0) {
        const step = stepOf(amount, most, true);
        cell.style.backgroundColor = theme.ramp[step];
        cell.style.color = inkOn(theme.ramp3[step]);
      }
      const is = filter.procedure === name && onlySize(size);
      mark(cell, is);
      cell.dataset.key = `cell ${name} ${axes.sizes[size]}`;
      cell.classList.add("pick");
      cell.addEventListener("click", () => {
        const end = is ? "" : axes.sizes[size];
        context.filter({ procedure: is ? "" : name, sizeFrom: end, sizeTo: end });
      });
      return cell;
    });
    return element("tr", [title, sumCell(found.ofProcedure(procedure), measure), ...cells]);
  });
  const foot = element("tr", [
    headCell(["all"], "row", false, null),
    sumCell(found.all, measure),
    ...sizes.map((size) => sumCell(found.ofSize(size), measure)),
  ]);
  const table = element(
    "table",
    [element("thead", head), element("tbody", lines), element("tfoot", foot)],
    "heat",
  );
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", `${measure.text} by call and size`);
  walkable(table);
  return table;
}

function corner(): HTMLElement {
  const cell = element("td", [element("span", "size →", "over"), element("span", "call ↓")]);
  cell.className = "corner";
  return cell;
}

/** `512-1024 KiB` on two lines. */
function sizeLines(name: string): string[] {
  const at = name.lastIndexOf(" ");
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

function headCell(
  lines: string[],
  scope: "col" | "row",
  chosen: boolean,
  act: (() => void) | null,
): HTMLElement {
  const texts = lines.flatMap((line, place) => (place ? [element("br"), line] : [line]));
  const cell = element("th", texts, scope === "col" ? "number" : "");
  cell.scope = scope;
  if (!act) return cell;
  mark(cell, chosen);
  cell.classList.add("pick");
  cell.addEventListener("click", act);
  return cell;
}

function mark(cell: HTMLElement, chosen: boolean): void {
  cell.setAttribute("aria-selected", String(chosen));
  cell.classList.toggle("now", chosen);
}

function sumCell(of: Amounts, measure: Measure): HTMLTableCellElement {
  const cell = amountCell(of, measure);
  cell.classList.add("sum");
  return cell;
}

function amountCell(of: Amounts, measure: Measure): HTMLTableCellElement {
  return element("td", amountText(of, measure), "number");
}

export function amountText(of: Amounts, measure: Measure): string {
  const value = measure.value(of);
  const more = of.unfinished && measure.name === "time" ? "+" : "";
  return value === null ? "" : measure.told(value) + more;
}
