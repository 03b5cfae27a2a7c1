/** A sheet on many runs: findings, charts and tables, as far as a filter leaves them. */
import { redraw } from "../ui/controls.ts";
import { theme } from "../ui/colours.ts";
import { element } from "../ui/dom.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import { givenTable, type Sorted, tableLines } from "../ui/table.ts";
import type { TableData } from "../ui/data.ts";
import { chartDrawing, chartLines } from "./chart.ts";
import type { ChartData, SheetData } from "./contract.ts";
import { type Filter, isKept, kept } from "./filter.ts";

/** Rows of a table that are shown at first: of one below others, and of the only one. */
const [MOST, MOST_ALONE] = [40, 1000];
const NONE_LEFT = "The filters leave no row.";

export class Sheet {
  private readonly charts: Figure[];
  private readonly tables: { of: Figure; sorted: Sorted }[];

  constructor(
    private readonly data: SheetData,
    parent: HTMLElement,
    /** The present filter. */
    private readonly filter: () => Filter,
  ) {
    this.charts = data.charts.map((chart) => {
      const made: Figure = figure(
        chart.name,
        () => {
          saveCsv(chart.name, chartLines(this.chart(chart)));
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
          saveCsv(name, tableLines(this.table(table).left));
        },
        null,
      );
      of.title.textContent = table.title || "Runs";
      return { of, sorted: { by: "", descending: false } };
    });
    const words = [
      ...(data.finding ? [element("h2", data.finding)] : []),
      ...data.lines.map((line) => element("p", line, "side")),
      ...data.warnings.map((line) => element("p", line, "warnings")),
    ];
    parent.append(
      ...(words.length ? [element("section", words, "card finding")] : []),
      ...(this.charts.length
        ? [
            element(
              "div",
              this.charts.map(({ card }) => card),
              "halves",
            ),
          ]
        : []),
      ...this.tables.map(({ of }) => of.card),
    );
    this.show();
  }

  show(): void {
    this.charts.forEach(({ body }, place) => {
      const filter = this.filter();
      const drawn = chartDrawing(
        this.data.charts[place],
        Math.max(280, body.clientWidth),
        theme(),
        (series) => isKept(series, filter),
      );
      redraw(body, [drawn]);
    });
    this.tables.forEach((one, place) => {
      const table = this.data.tables[place];
      const { left, caption } = this.table(table);
      const sort = (sorted: Sorted) => {
        one.sorted = sorted;
        this.show();
      };
      const most = this.tables.length > 1 ? MOST : MOST_ALONE;
      one.of.caption.textContent = caption;
      redraw(one.of.body, [
        givenTable(left, { label: table.title || "Runs", sorted: one.sorted, sort, most }),
      ]);
    });
  }

  private chart(chart: ChartData): ChartData {
    const filter = this.filter();
    return { ...chart, series: chart.series.filter((one) => isKept(one, filter)) };
  }

  /** The part of a table that is shown, and a caption that says which rows are missing. Sums are of all rows. */
  private table(table: TableData): { left: TableData; caption: string } {
    const { rows, missing } = kept(table, this.filter());
    const sentences = missing.length ? [`All rows: this table has no ${missing.join(" and no ")}.`] : [];
    if (rows.length === table.rows.length) return { left: table, caption: sentences.join(" ") };
    sentences.unshift(`${rows.length} of ${table.rows.length} rows.`);
    return { left: { ...table, rows, sums: [], empty: NONE_LEFT }, caption: sentences.join(" ") };
  }
}

function fileName(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
