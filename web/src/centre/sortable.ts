/** Sorting of a table that is in the page. */
import { inOrder, type Value } from "./order.ts";

/** Turn the heads of a table's columns into buttons that sort its rows. */
export function sortable(table: HTMLTableElement): void {
  const body = table.tBodies.item(0);
  const heads = [...(table.tHead?.rows.item(0)?.cells ?? [])];
  if (!body || body.rows.length < 2) return;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const number = head.classList.contains("number");
      const was = head.getAttribute("aria-sort");
      const descending = was ? was === "ascending" : number;
      heads.forEach((other) => {
        other.removeAttribute("aria-sort");
      });
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...body.rows];
      const values = rows.map((row) => value(row.cells.item(column), number));
      body.append(...inOrder(values, descending).map((place) => rows[place]));
    });
  });
}

function value(cell: HTMLElement | null, number: boolean): Value {
  const given = cell?.dataset.value;
  if (number) return given === undefined ? null : Number(given);
  return given ?? cell?.textContent.trim() ?? null;
}
