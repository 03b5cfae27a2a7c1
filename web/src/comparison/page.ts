/** Comparison: the calls that became slower or faster from the runs before to those after. */
import "./comparison.css";
import type { TableCell, TableData } from "../ui/data.ts";
import { button, element } from "../ui/dom.ts";
import { redraw } from "../ui/controls.ts";
import { saveCsv } from "../ui/files.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { saveSvg } from "../ui/pictures.ts";
import { givenTable, type Sorted } from "../ui/table.ts";
import { changeText, secondText } from "../units.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { type Bar, changesDrawing } from "./changes.ts";
import type { ComparisonData } from "./contract.ts";
import { Sheet } from "../runs/sheet.ts";
import { filterOf, IGNORED } from "./sides.ts";

const SHOWN = 12;

export const page: Page = {
  name: "comparison",
  title: "Comparison",
  order: 10,
  there: ({ report }) => (report.comparison ?? report.sides) !== undefined,
  heading: ({ report }) => (report.comparison ?? report.sides)?.title ?? "",
  ignores: ({ report }) =>
    report.sides ? IGNORED : "The comparison is of the whole runs: filters do not change it.",
  open: (context, parent) => {
    const { sides } = context.report;
    return sides ? new Sheet(sides, parent, () => filterOf(context)) : new ComparisonPage(context, parent);
  },
};

class ComparisonPage implements Open {
  private readonly data: ComparisonData;
  private readonly changes: Figure;
  private readonly tables: { of: Figure; sorted: Sorted }[];
  private more = false;

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    const data = context.report.comparison;
    if (!data) throw new Error("there is no comparison");
    this.data = data;
    this.changes = figure("changes", this.csv, () => {
      const svg = this.changes.body.querySelector("svg");
      if (svg) saveSvg("changes", [{ title: data.finding, svg }]);
    });
    const [whole, ...tables] = data.tables.map((_, place) => {
      const of = figure(
        `difference-${place}`,
        () => {
          const { name, lines } = data.files[place];
          saveCsv(
            name,
            lines.map((line) => line.map((value) => value ?? NaN)),
          );
        },
        null,
      );
      return { of, sorted: { by: "", descending: false } };
    });
    this.tables = [whole, ...tables];
    const words = [element("h2", data.finding), ...data.sides.map((line) => element("p", line, "side"))];
    if (data.unlike.length) words.push(element("p", `Beware: ${data.unlike.join("; ")}`, "warnings"));
    for (const { name, warnings } of context.report.runs)
      if (warnings.length)
        words.push(element("p", `Warnings for ${name}: ${warnings.join("; ")}`, "warnings"));
    words.push(element("p", `${data.noise}.`, "caption"));
    parent.append(
      element("section", words, "card finding"),
      element("div", [whole.of.card, this.changes.card], "halves"),
      ...tables.map(({ of }) => of.card),
    );
    this.show();
  }

  show(): void {
    this.drawing();
    this.tables.forEach((one, place) => {
      const data = this.data.tables[place];
      one.of.title.textContent = data.title
        ? tableTitle(data)
        : `The run: wall ${changeText(this.data.wall)}`;
      const sort = (sorted: Sorted) => {
        one.sorted = sorted;
        this.show();
      };
      redraw(one.of.body, [
        givenTable(data, { label: data.title || "The run", sorted: one.sorted, sort, most: 20 }),
      ]);
    });
  }

  private drawing(): void {
    const { data, changes, context } = this;
    const bars = this.bars();
    const [first] = data.changes;
    changes.title.textContent = data.changes.length
      ? `The largest change of a call: ${first.procedure} on ${first.label}, ${changeText(first.change)} per rank`
      : "No MPI call was recorded on either side";
    changes.caption.textContent =
      "Change of the time per rank, mean over ranks: slower to the right, faster to the left." +
      (bars.some(({ low }) => low !== null)
        ? " Lines: confidence intervals from the noise of the runs."
        : "");
    const shown = this.more ? bars : bars.slice(0, SHOWN);
    const parts: Node[] = [changesDrawing(shown, Math.max(280, changes.body.clientWidth), context.theme)];
    if (bars.length > SHOWN) {
      const text = this.more ? "show the largest" : `show ${bars.length - SHOWN} more`;
      const toggle = button(text, () => {
        this.more = !this.more;
        this.drawing();
      });
      toggle.className = "plain more";
      toggle.dataset.key = "more changes";
      parts.push(toggle);
    }
    redraw(changes.body, parts);
  }

  private bars(): Bar[] {
    const { data, context } = this;
    const of = data.changes.map((row): Bar => {
      const only = row.only ? `, only ${row.only}` : "";
      const times = `${secondText(row.before)} to ${secondText(row.after)}`;
      return {
        name: `${row.procedure} on ${row.label}`,
        change: row.change,
        low: row.low,
        high: row.high,
        told: `${row.procedure} on ${row.label}: ${changeText(row.change)}, ${times}${only}`,
        act: () => {
          const { filter } = context.state;
          context.change({
            page: "calls",
            filter: { ...filter, communicator: row.communicator, procedure: row.procedure },
          });
        },
      };
    });
    const apart = data.apart.map(({ name, change }): Bar => {
      const told = `${name}: ${changeText(change)}`;
      return { name, change, low: null, high: null, told, act: null };
    });
    return [...apart, ...of]
      .filter(({ change }) => change)
      .sort((one, other) => Math.abs(other.change) - Math.abs(one.change));
  }

  private readonly csv = () => {
    saveCsv("changes", [
      ["communicator", "call", "before, s", "after, s", "change, s", "low, s", "high, s", "verdict", "only"],
      ...this.data.changes.map((row) => [
        row.communicator,
        row.procedure,
        row.before,
        row.after,
        row.change,
        row.low ?? NaN,
        row.high ?? NaN,
        row.verdict,
        row.only,
      ]),
    ]);
  };
}

/** The sort key of the table, and the largest change in it; for findings, how many disappeared and appeared. */
function tableTitle({ title, columns, rows }: TableData): string {
  const change = columns.findIndex(({ name }) => name === "change");
  if (change < 0) return countedTitle(title, rows);
  const size = (row: TableCell[]) => Math.abs(Number(row[change][1] ?? 0));
  const [first] = [...rows].sort((one, other) => size(other) - size(one));
  if (!rows.length || !size(first)) return `${title}: no change`;
  const naming = (place: number) => place < change && !columns[place].right;
  const names = first.filter((_, place) => naming(place) && columns[place].name !== "function");
  const texts = names.map(([text]) => text).reverse();
  const where = texts.join(title === "By call site" ? " at " : " on ");
  const ofRank = columns[change].unit === "s" ? " a rank" : "";
  return `${title}: ${where} ${first[change][0]}${ofRank}`;
}

/** The number of rows for each word in the first column. */
function countedTitle(title: string, rows: readonly TableCell[][]): string {
  const counts = new Map<string, number>();
  for (const [[word]] of rows) counts.set(word, (counts.get(word) ?? 0) + 1);
  const texts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `${title}: ${texts.join(", ") || "none"}`;
}
