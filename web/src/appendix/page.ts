/** The measurement and its method: definitions, environment, coverage, and all tables that no other page shows. */
import "./appendix.css";
import { element } from "../ui/dom.ts";
import { saveCsv } from "../ui/files.ts";
import { figure } from "../ui/figure.ts";
import { givenTable, type Sorted, tableLines } from "../ui/table.ts";
import type { TableCell, TableData } from "../ui/data.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import type { AppendixSection } from "./contract.ts";

const SHOWN = 40;
/** Most rows of a table that can be seen at a glance. */
const FEW = 8;

export const page: Page = {
  name: "appendix",
  title: "Appendix",
  order: 110,
  options: ["open"],
  there: ({ run }) => run.appendix !== undefined,
  ignores: () => "The appendix is of the whole run: filters do not change it.",
  open: (context, parent) => new AppendixPage(context, parent),
};

class AppendixPage implements Open {
  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    const sections = context.run.appendix?.sections ?? [];
    const groups = new Map<string, HTMLElement[]>();
    for (const of of sections) groups.set(of.group, [...(groups.get(of.group) ?? []), this.section(of)]);
    for (const [title, parts] of groups) {
      const card = element("section", [element("h2", title), ...parts], "card group");
      card.setAttribute("aria-label", title);
      parent.append(card);
    }
    window.addEventListener("beforeprint", () => {
      for (const one of parent.querySelectorAll("details")) one.open = true;
    });
  }

  show(): void {
    this.openAsked();
  }

  /** A section; its content is made when it is first opened. */
  private section(of: AppendixSection): HTMLElement {
    const body = element("div", [], "inside");
    const made = element("details", [element("summary", of.title), body]);
    made.id = of.id;
    const fill = () => {
      if (body.childElementCount) return;
      body.append(...of.text.map((text) => element("p", withCode(text))));
      of.tables.forEach((table, place) => {
        body.append(tableOf(`${of.id}-${place}`, of.title, table));
      });
    };
    made.addEventListener("toggle", () => {
      if (made.open) fill();
    });
    if (this.context.option("open", ["", of.id]) === of.id) {
      fill();
      made.open = true;
    }
    return made;
  }

  private openAsked(): void {
    const asked = this.context.state.options.get("open");
    const found = asked ? document.getElementById(asked) : null;
    if (found instanceof HTMLDetailsElement) found.open = true;
  }
}

/** A table with a search field, and its rows as a file. */
function tableOf(id: string, title: string, table: TableData): HTMLElement {
  const made = figure(
    id,
    table.rows.length
      ? () => {
          saveCsv(id, tableLines(table));
        }
      : null,
    null,
  );
  made.card.className = "table";
  made.title.textContent = table.title;
  let sorted: Sorted = { by: "", descending: false };
  let wanted = "";
  const shown = element("div");
  const draw = () => {
    const rows = table.rows.filter((row) => holds(row, wanted));
    const some = wanted
      ? { ...table, rows, sums: [], empty: `Nothing in this table has “${wanted}”.` }
      : table;
    shown.replaceChildren(
      givenTable(some, {
        label: table.title || title,
        sorted,
        sort: (next) => {
          sorted = next;
          draw();
        },
        most: SHOWN,
      }),
    );
  };
  draw();
  if (table.rows.length > FEW) {
    const input = element("input");
    input.type = "search";
    input.placeholder = "search this table";
    input.setAttribute("aria-label", `search ${table.title || title}`);
    input.addEventListener("input", () => {
      wanted = input.value.trim();
      draw();
    });
    made.card.querySelector(".head")?.append(input);
  }
  made.body.append(shown);
  return made.card;
}

function holds(row: TableCell[], wanted: string): boolean {
  const small = wanted.toLowerCase();
  return row.some(([text, , note]) => `${text} ${note ?? ""}`.toLowerCase().includes(small));
}

/** A text whose parts in backquotes are shown as code. */
function withCode(text: string): (string | Node)[] {
  return text.split("`").map((part, place) => (place % 2 ? element("code", part) : part));
}
