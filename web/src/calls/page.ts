/** Calls and sizes: the time of each procedure, and the sizes of its data. */
import "./calls.css";
import { choice, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { edged } from "../ui/edges.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import { countOf, percentText, secondText } from "../units.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { type Cross, cross } from "./cross.ts";
import { amountText, heatTable } from "./heat.ts";
import { type Amounts, called } from "../shell/amounts.ts";
import { type Measure, MEASURES } from "./measures.ts";
import { mostIn, sizeBars, type SizeShares } from "./sizes.ts";

const EMPTY = "No call is in this part of the run: remove a filter.";
const NO_DATA = "0 B";
/** The size of calls with unknown size, and of calls that never returned. */
const OTHER = "other";
/** A cell with at least this share of the time is named for its rate. */
const WORTH = 0.01;

export const page: Page = {
  name: "calls",
  title: "Calls and sizes",
  order: 40,
  options: ["measure"],
  open: (context, parent) => new CallsPage(context, parent),
};

class CallsPage implements Open {
  private readonly heat = figure(
    "calls",
    () => {
      this.saveCalls();
    },
    null,
  );
  private readonly sizes = figure(
    "sizes",
    () => {
      this.saveSizes();
    },
    () => {
      saveSvg("sizes", [{ title: this.sizes.title.textContent, svg: this.bars() }]);
    },
  );

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    parent.append(this.heat.card, this.sizes.card);
    this.show();
  }

  show(): void {
    this.showHeat();
    this.showSizes();
  }

  private get measure(): Measure {
    const name = this.context.option(
      "measure",
      MEASURES.map((one) => one.name),
    );
    return MEASURES.find((one) => one.name === name) ?? MEASURES[0];
  }

  private showHeat(): void {
    const { context, heat, measure } = this;
    const found = cross(context.without("procedure", "sizeFrom", "sizeTo"));
    const options = MEASURES.map(({ name, text }) => ({ value: name, text }));
    const measures = choice("measure", options, measure.name, (name) => {
      context.choose("measure", name === MEASURES[0].name ? null : name);
    });
    heat.title.textContent = this.finding(found);
    const table = found.procedures.length
      ? element("div", heatTable(context, found, measure), "heat-scroll")
      : element("p", EMPTY, "empty");
    const shown = found.procedures.length ? edged(table) : table;
    const old = heat.body.querySelector(".heat-scroll");
    const [left, top] = [old?.scrollLeft ?? 0, old?.scrollTop ?? 0];
    redraw(heat.body, [element("div", measures, "under"), shown, ...this.apart(found)]);
    table.scrollTo(left, top);
    heat.caption.textContent =
      `Shown: ${measure.meaning}. A row is a procedure, most time first; a column is the data size of a call. ` +
      "Colours span three powers of ten below the largest cell; smaller values are grey.";
    heat.use.textContent =
      "Click a cell to select its calls, or a heading to select a row or column. Filters by call and size mark cells here; " +
      "other filters remove them.";
  }

  private finding(found: Cross): string {
    const { measure, context } = this;
    const { axes } = context.run;
    if (!found.procedures.length) return "No calls";
    const amount = (of: Amounts) => measure.value(of) ?? 0;
    const [top] = [...found.procedures].sort(
      (one, other) => amount(found.ofProcedure(other)) - amount(found.ofProcedure(one)),
    );
    // Calls that take almost no time may have any rate, and do not matter.
    const least = measure.adds ? 0 : WORTH * found.all.seconds;
    const pairs = found.procedures
      .flatMap((procedure) => found.sizes.map((size) => ({ procedure, size })))
      .filter(({ procedure, size }) => found.at(procedure, size).seconds >= least);
    const [cell] = pairs.sort(
      (one, other) =>
        amount(found.at(other.procedure, other.size)) - amount(found.at(one.procedure, one.size)),
    );
    const all = amount(found.all);
    if (!all || pairs.length === 0) return `No ${measure.text} in this part of the run`;
    const name = axes.procedures.name;
    const part = { time: "time in MPI", calls: "calls" }[measure.name] ?? measure.text;
    const of = context.without("procedure", "sizeFrom", "sizeTo").left;
    const size = axes.sizes[cell.size];
    const returned = size !== OTHER || found.at(cell.procedure, cell.size).calls > 0;
    const kind = size === NO_DATA ? "without data" : `of ${size}`;
    const calls = returned ? kind : "that never returned";
    const where = `${name[cell.procedure]} ${calls}`;
    if (measure.adds) {
      const share = (given: Amounts) => percentText(amount(given) / all);
      const [ofTop, ofCell] = [share(found.ofProcedure(top)), share(found.at(cell.procedure, cell.size))];
      const head = `${name[top]} ${measure.name === "time" ? "takes" : "has"} ${ofTop} of the ${part}${of}`;
      if (cell.procedure !== top) return `${head}; most is in ${where}: ${ofCell}`;
      return `${head}, ${ofTop === ofCell ? "all of it" : ofCell} in calls ${calls}`;
    }
    const [mean, extreme] = [found.all, found.at(cell.procedure, cell.size)].map((given) =>
      amountText(given, measure),
    );
    return measure.name === "bandwidth"
      ? `Calls${of} move ${mean} while ranks are in them; of those with 1 % of the time or more, ${where} most: ${extreme}`
      : `A call${of} takes ${mean} on average; of those with 1 % of the time or more, ${where} longest: ${extreme}`;
  }

  /** Lines on calls that are not in the table, and calls that never ended. */
  private apart(found: Cross): HTMLElement[] {
    const { context } = this;
    const { axes, cells } = context.run;
    const { selection } = context;
    const lines: string[] = [];
    const names = axes.procedures.name;
    const sums = names.map(() => ({ calls: 0, seconds: 0 }));
    cells.procedure.forEach((procedure, cell) => {
      if (!axes.procedures.apart[procedure] || !selection.block(cells.rank[cell])) return;
      sums[procedure].calls += cells.calls[cell];
      sums[procedure].seconds += cells.seconds[cell];
    });
    const apart = names.flatMap((name, one) =>
      sums[one].calls
        ? [`${name} ${secondText(sums[one].seconds)} in ${countOf(sums[one].calls, "call")}`]
        : [],
    );
    if (apart.length) lines.push(`Not included above, summed over ranks: ${apart.join(", ")}.`);
    const unfinished = found.procedures.filter((one) => found.ofProcedure(one).unfinished);
    if (unfinished.length) {
      const each = unfinished.map((one) => `${names[one]} ${found.ofProcedure(one).unfinished}`).join(", ");
      lines.push(
        `${countOf(found.all.unfinished, "call")} never returned: ${each}. Their sizes are unknown; their time is counted until the ` +
          "end of their ranks.",
      );
    }
    return lines.map((line) => element("p", line, "apart"));
  }

  private saveCalls(): void {
    const { axes } = this.context.run;
    const found = cross(this.context.without("procedure", "sizeFrom", "sizeTo"));
    const rows = found.procedures.flatMap((procedure) =>
      found.sizes
        .map((size) => ({ size, of: found.at(procedure, size) }))
        .filter(({ of }) => called(of))
        .map(({ size, of }) => [
          axes.procedures.name[procedure],
          axes.sizes[size],
          of.calls,
          of.unfinished,
          of.sent,
          of.received,
          of.seconds,
          ...MEASURES.filter(({ adds }) => !adds).map(({ value }) => value(of) ?? NaN),
        ]),
    );
    saveCsv("calls", [
      [
        "call",
        "size",
        "calls",
        "never_returned",
        "bytes_sent",
        "bytes_received",
        "seconds",
        "bytes_per_second",
        "seconds_per_call",
      ],
      ...rows,
    ]);
  }

  /** For each size, its share of the calls with data, and of the bytes. */
  private shares(): { rows: SizeShares[]; found: Cross; received: boolean } {
    const { context } = this;
    const { axes } = context.run;
    const found = cross(context.without("sizeFrom", "sizeTo"));
    const received = !found.all.sent && found.all.received > 0;
    const bytes = ({ sent, received: got }: Amounts) => (received ? got : sent);
    const withData = found.sizes.filter((size) => axes.sizes[size] !== NO_DATA && found.ofSize(size).calls);
    const sum = (value: (of: Amounts) => number) =>
      withData.reduce((total, size) => total + value(found.ofSize(size)), 0);
    const [calls, all] = [sum((of) => of.calls), sum(bytes)];
    return {
      found,
      received,
      rows: withData.map((size) => ({
        name: axes.sizes[size],
        calls: found.ofSize(size).calls / calls,
        bytes: all ? bytes(found.ofSize(size)) / all : 0,
      })),
    };
  }

  private bars(): SVGElement {
    const { context } = this;
    const width = Math.min(1100, Math.max(240, this.sizes.body.clientWidth));
    return sizeBars(context, this.shares().rows, width, (name) => {
      const { sizeFrom, sizeTo } = context.state.filter;
      const end = sizeFrom === name && sizeTo === name ? "" : name;
      context.filter({ sizeFrom: end, sizeTo: end });
    });
  }

  private showSizes(): void {
    const { sizes, context } = this;
    const { rows, found, received } = this.shares();
    if (!rows.length) {
      sizes.title.textContent = "No call has data";
      redraw(sizes.body, [
        element("p", "Sizes are shown where calls send, receive, write or read data.", "empty"),
      ]);
      sizes.caption.textContent = "";
      sizes.use.textContent = "";
      return;
    }
    const names = rows.map(({ name }) => name);
    const calls = mostIn(
      names,
      rows.map((row) => row.calls),
    );
    const bytes = mostIn(
      names,
      rows.map((row) => row.bytes),
    );
    const { left } = context.without("sizeFrom", "sizeTo");
    sizes.title.textContent = [
      calls ? `${percentText(calls.share)} of the calls with data${left} are ${calls.where}` : "",
      bytes ? `${percentText(bytes.share)} of the bytes${calls ? "" : left} are in calls ${bytes.where}` : "",
    ]
      .filter(Boolean)
      .join("; ");
    redraw(sizes.body, [this.bars()]);
    const without = context.run.axes.sizes.indexOf(NO_DATA);
    const none = without < 0 ? 0 : found.ofSize(without).calls;
    sizes.caption.textContent =
      "The size is that of the data of one call; from 1 KiB, the upper end belongs to the next size. " +
      (received
        ? "Bytes received are shown: none were sent. "
        : "Bytes are those sent, or contributed to collectives. ") +
      `${countOf(none, "call")} without data ${none === 1 ? "is" : "are"} not included.`;
    sizes.use.textContent = "Click a row to select its size.";
  }

  private saveSizes(): void {
    const { rows, found } = this.shares();
    const shares = new Map(rows.map((row) => [row.name, row]));
    saveCsv("sizes", [
      [
        "size",
        "calls",
        "never_returned",
        "bytes_sent",
        "bytes_received",
        "seconds",
        "share_of_calls",
        "share_of_bytes",
      ],
      ...found.sizes.map((size) => {
        const name = this.context.run.axes.sizes[size];
        const of = found.ofSize(size);
        const share = shares.get(name);
        return [
          name,
          of.calls,
          of.unfinished,
          of.sent,
          of.received,
          of.seconds,
          share?.calls ?? NaN,
          share?.bytes ?? NaN,
        ];
      }),
    ]);
  }
}
