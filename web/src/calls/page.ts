/** Calls and sizes: which procedure takes how much time, with data of which size. */
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { redraw } from "../ui/controls.ts";
import { saveCsv } from "../ui/files.ts";
import { dataTable, type TableColumn } from "../ui/table.ts";
import { byteText, countText, percentText, secondText } from "../units.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/pages.ts";

interface Row {
  procedure: string;
  calls: number;
  sent: number;
  seconds: number;
}

export const callsPage: Page = {
  name: "calls",
  title: "Calls and sizes",
  open: (context, parent) => new CallsPage(context, parent),
};

class CallsPage implements Open {
  private readonly table = figure(
    "calls",
    () => {
      saveCsv("calls", [
        ["call", "calls", "bytes sent", "seconds"],
        ...this.rows().map((row) => [row.procedure, row.calls, row.sent, row.seconds]),
      ]);
    },
    null,
  );

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    parent.append(this.table.card);
    this.show();
  }

  show(): void {
    const rows = this.rows();
    const seconds = rows.reduce((sum, row) => sum + row.seconds, 0);
    const columns: TableColumn<Row>[] = [
      { name: "call", meaning: "MPI procedure", text: (row) => row.procedure, value: (row) => row.procedure },
      {
        name: "calls",
        meaning: "number",
        right: true,
        text: (row) => countText(row.calls),
        value: (row) => row.calls,
      },
      {
        name: "sent",
        meaning: "bytes",
        right: true,
        text: (row) => byteText(row.sent),
        value: (row) => row.sent,
      },
      {
        name: "time",
        meaning: "over the ranks",
        right: true,
        text: (row) => secondText(row.seconds),
        value: (row) => row.seconds,
        bar: (row) => row.seconds / seconds,
      },
    ];
    this.table.title.textContent = rows.length
      ? `${rows[0].procedure} takes ${percentText(rows[0].seconds / seconds)} of the time in MPI`
      : "No calls";
    redraw(this.table.body, [
      element(
        "div",
        dataTable(columns, rows, { label: "calls", empty: "No call is in this part of the run." }),
      ),
    ]);
  }

  private rows(): Row[] {
    const { axes } = this.context.run;
    const names = axes.procedures.name;
    const { calls, sent, seconds } = this.context.selection.by("procedure", names.length);
    return names
      .map((procedure, one) => ({ procedure, calls: calls[one], sent: sent[one], seconds: seconds[one] }))
      .filter((row) => row.calls || row.seconds)
      .sort((one, other) => other.seconds - one.seconds);
  }
}
