/** Tables of pages: sorted according to the address; a row sets the filters of the report. */
import { redraw } from "../ui/controls.ts";
import { figure } from "../ui/figure.ts";
import { type Cell, saveCsv } from "../ui/files.ts";
import { dataTable, type Sorted, type TableColumn, type TableWays } from "../ui/table.ts";
import type { Context } from "./context.ts";
import { order } from "./order.ts";
import type { Filter } from "./state.ts";

export interface PagedTableWays {
  /** Of the card. */
  id: string;
  /** The rows' name, in a word; also of the file that is saved. */
  label: string;
  /** Option of the address. */
  order: string;
  /** Used if the address has no order. */
  sorted?: Sorted;
  /** The filter that a row sets. */
  filter: keyof Filter;
  /** Number of rows that are shown at first. */
  most: number;
}

/** The current content. */
export interface PagedTableData<Row> {
  title: string;
  caption: string;
  use: string;
  empty: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  sums?: string[][];
}

export abstract class PagedTable<Row> {
  private readonly figure;
  readonly card: HTMLElement;

  constructor(
    protected readonly context: Context,
    private readonly ways: PagedTableWays,
  ) {
    this.figure = figure(
      ways.id,
      () => {
        saveCsv(ways.label, this.lines());
      },
      null,
    );
    this.card = this.figure.card;
  }

  /** The filter value of a row. */
  protected abstract chosenBy(row: Row): string;

  /** For the file: a head, and a line for each row. */
  protected abstract lines(): (readonly Cell[])[];

  protected draw({ title, caption, use, columns, rows, ...more }: PagedTableData<Row>): void {
    const { figure: own, ways } = this;
    own.title.textContent = title;
    own.caption.textContent = caption;
    own.use.textContent = use;
    redraw(own.body, [dataTable(columns, rows, { ...this.choosing(), ...more, most: ways.most })]);
  }

  private choosing(): Omit<TableWays<Row>, "empty"> {
    const { context, ways } = this;
    const { sorted, sort } = order(context, ways.order);
    return {
      label: ways.label,
      sorted: sorted.by ? sorted : (ways.sorted ?? sorted),
      sort,
      pick: (row) => {
        context.toggle(ways.filter, this.chosenBy(row));
      },
      isPicked: (row) => context.state.filter[ways.filter] === this.chosenBy(row),
    };
  }
}

export function textColumn<Row>(name: string, meaning: string, text: (row: Row) => string): TableColumn<Row> {
  return { name, meaning, text, value: text };
}

export function numberColumn<Row>(
  name: string,
  meaning: string,
  value: (row: Row) => number,
  text: (value: number) => string = String,
): TableColumn<Row> {
  return { name, meaning, right: true, value, text: (row) => text(value(row)) };
}

/** For tables whose rows are nodes. */
export function nodeColumns<Row extends { host: string; ranks: number }>(): TableColumn<Row>[] {
  return [
    textColumn("node", "host name", ({ host }) => host),
    numberColumn("ranks", "that ran on it", ({ ranks }) => ranks),
  ];
}
