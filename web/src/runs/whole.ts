/** The page of many runs: findings, charts and tables. */
import { redraw } from "../ui/controls.ts";
import { theme } from "../ui/colours.ts";
import { element } from "../ui/dom.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import { givenTable, type Sorted, tableLines } from "../ui/table.ts";
import { chartDrawing, chartLines } from "./chart.ts";
import type { RunsData } from "./contract.ts";

/** Rows of a table that are shown at first. */
const MOST = 40;

export class RunsPage {
  private readonly charts: Figure[];
  private readonly tables: { of: Figure; sorted: Sorted }[];

  constructor(
    private readonly data: RunsData,
    parent: HTMLElement,
    toggle: HTMLElement,
  ) {
    this.charts = data.charts.map((chart) => {
      const made: Figure = figure(
        chart.name,
        () => {
          saveCsv(chart.name, chartLines(chart));
        },
        () => {
          const svg = made.body.querySelector("svg");
          if (svg) saveSvg(chart.name, [{ title: chart.title, svg }]);
        },
      );
      made.title.textContent = chart.title;
      made.caption.textContent = chart.caption;
      return made;
    });
    this.tables = data.tables.map((table, place) => {
      const name = table.title ? fileName(table.title) : "runs";
      const of = figure(
        `table-${place}`,
        () => {
          saveCsv(name, tableLines(table));
        },
        null,
      );
      of.title.textContent = table.title || "Runs";
      return { of, sorted: { by: "", descending: false } };
    });
    const words = [
      ...(data.finding ? [element("h2", data.finding)] : []),
      ...data.lines.map((line) => element("p", line)),
      ...data.warnings.map((line) => element("p", line, "warnings")),
    ];
    parent.replaceChildren(
      element("header", [element("div", [toggle], "tools"), element("div", [element("h1", data.title)])]),
      ...(words.length ? [element("section", words, "card finding")] : []),
      element(
        "div",
        this.charts.map(({ card }) => card),
        "halves",
      ),
      ...this.tables.map(({ of }) => of.card),
    );
    this.show();
  }

  show(): void {
    this.charts.forEach(({ body }, place) => {
      redraw(body, [chartDrawing(this.data.charts[place], Math.max(280, body.clientWidth), theme())]);
    });
    this.tables.forEach((one, place) => {
      const table = this.data.tables[place];
      const sort = (sorted: Sorted) => {
        one.sorted = sorted;
        this.show();
      };
      const label = table.title || "Runs";
      redraw(one.of.body, [givenTable(table, { label, sorted: one.sorted, sort, most: MOST })]);
    });
  }
}

function fileName(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
