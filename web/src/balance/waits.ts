/** The waiting time of each rank, and the waiting that it caused on others. */
import type { Context } from "../shell/context.ts";
import { BarsDrawing } from "../ui/bars.ts";
import type { Series } from "../ui/bars_data.ts";
import { list, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { savePng } from "../ui/pictures.ts";
import type { Facts } from "../ui/tip.ts";
import { percentText, secondText } from "../units.ts";
import { type Entry, entries } from "./bars.ts";
import type { LateData } from "./contract.ts";
import { balanceOf, hostOf, rankName } from "./model.ts";

type Column =
  "computing" | "inMpi" | "leftLate" | "firstCall" | "messagesCaused" | "waited" | "messagesWaited";

const CAUSED: [column: Column, name: string, light: string, dark: string][] = [
  ["computing", "caused: it computed longer", "#b04a00", "#e2752b"],
  ["inMpi", "it was in other MPI calls", "#e69f00", "#e8ab2e"],
  ["leftLate", "it left the previous collective late", "#d9c27a", "#b9a45f"],
  ["firstCall", "first call: unknown cause", "#aab4be", "#76828e"],
  ["messagesCaused", "for its messages and receives", "#cc79a7", "#d58bb5"],
];
const WAITED: [column: Column, name: string, light: string, dark: string][] = [
  ["waited", "waited in collectives", "#117733", "#4fae6f"],
  ["messagesWaited", "waited for messages", "#88c999", "#2c7a4a"],
];
const MARK = "root cause of waiting";
const ORDERS = ["rank", "caused", "waited", "rootCause"] as const;
const ORDER_NAMES = {
  rank: "rank",
  caused: "caused",
  waited: "waited",
  rootCause: "root cause",
};
const HEIGHT = 300;

export class WaitsFigure {
  private readonly own = figure(
    "balance-waits",
    () => {
      this.save();
    },
    () => {
      this.picture();
    },
  );
  readonly card = this.own.card;
  private readonly tools = element("div", [], "under");
  private readonly stage = element("div");
  private readonly none = element("p", [], "empty");
  private readonly drawing: BarsDrawing;

  constructor(private readonly context: Context) {
    this.own.body.append(this.tools, this.stage, this.none);
    this.drawing = new BarsDrawing(this.stage);
  }

  show(): void {
    const { context } = this;
    const { late } = balanceOf(context.run);
    const order = context.option("waits-by", ORDERS);
    const rows = this.rows(order);
    const known = late.rank.length > 0;
    this.stage.hidden = this.tools.hidden = !rows.length;
    this.none.hidden = rows.length > 0;
    this.none.textContent = known
      ? "None of the selected ranks waited or made others wait: select others."
      : [late.noCollectives, late.noMessages].filter(Boolean).join(" ");
    this.own.title.textContent = this.title();
    this.own.caption.textContent = known ? this.caption() : "";
    if (!rows.length) return;
    redraw(this.tools, [
      list(
        "sorted by",
        ORDERS.map((value) => ({ value, text: ORDER_NAMES[value] })),
        order,
        (value) => {
          context.choose("waits-by", value === "rank" ? null : value);
        },
      ),
      entries(this.entries()),
    ]);
    const series = (of: typeof CAUSED): Series[] =>
      of
        .filter(([column]) => late[column].some((seconds: number) => seconds > 0))
        .map(([column, name, light, dark]) => ({
          name,
          colour: context.theme.dark ? dark : light,
          values: Float64Array.from(rows, (row) => late[column][row]),
        }));
    this.drawing.show(
      {
        label: this.title(),
        count: rows.length,
        up: series(CAUSED),
        down: series(WAITED),
        mark: {
          name: MARK,
          colour: context.theme.ink,
          values: Float64Array.from(rows, (row) => late.rootCause[row]),
        },
        text: secondText,
        name: (bar) => String(late.rank[rows[bar]]),
        title: order === "rank" ? "rank" : `rank, sorted by ${ORDER_NAMES[order]}`,
        groups: [],
        facts: (bar) => this.facts(rows[bar]),
        choose: (bar) => {
          context.toggle("ranks", String(late.rank[rows[bar]]));
        },
        height: HEIGHT,
      },
      context.theme,
    );
  }

  private rows(order: (typeof ORDERS)[number]): number[] {
    const { late } = balanceOf(this.context.run);
    const by = {
      rank: () => 0,
      caused: (row: number) => late.caused[row] + late.messagesCaused[row],
      waited: (row: number) => late.waited[row] + late.messagesWaited[row],
      rootCause: (row: number) => late.rootCause[row],
    }[order];
    return Array.from(late.rank.keys())
      .filter((row) => this.context.selection.ranks[late.rank[row]])
      .sort((one, other) => by(other) - by(one) || one - other);
  }

  private title(): string {
    const { late } = balanceOf(this.context.run);
    if (late.title) return late.title;
    return late.rank.length ? "No waiting between ranks is known" : "It is unknown which ranks waited";
  }

  private entries(): Entry[] {
    const { late } = balanceOf(this.context.run);
    const { dark, ink } = this.context.theme;
    const shown = [...CAUSED, ...WAITED].filter(([column]) =>
      late[column].some((seconds: number) => seconds > 0),
    );
    return [
      ...shown.map(([, text, light, other]) => ({ text, colour: dark ? other : light })),
      { text: MARK, colour: ink },
    ];
  }

  private caption(): string {
    const { late } = balanceOf(this.context.run);
    const { chosen } = this.context.selection;
    const said = [
      "Estimates, in seconds. Above the line: waiting of others for the rank, by the cause of its lateness. Below: its own waiting. The line across a bar: the waiting it caused as root cause, without the part passed on because it waited itself, and with the part passed on to it, in collectives and for messages; over all ranks it is all waiting.",
      ...late.notes,
    ];
    if (late.noCollectives) said.push(`Collectives: ${late.noCollectives}`);
    if (late.noMessages) said.push(`Messages: ${late.noMessages}`);
    if (chosen.some((key) => key !== "ranks" && key !== "node"))
      said.push("It covers all calls, because waiting propagates from call to call.");
    if (this.drawing.pooled)
      said.push(
        "Ranks share pixels: each shows their mean; thin lines show the largest value next to the zero line.",
      );
    return said.join(" ");
  }

  private facts(row: number): Facts {
    const { run } = this.context;
    const { late } = balanceOf(run);
    const rank = late.rank[row];
    const about = (seconds: number, error: number) =>
      secondText(seconds) + (error ? ` ± ${secondText(error)}` : "");
    const told: [string, string][] = [];
    if (!late.noCollectives)
      told.push(
        ["waited in collectives", about(late.waited[row], late.waitedError[row])],
        ["others waited for it", about(late.caused[row], late.causedError[row])],
        ["because it computed longer", secondText(late.computing[row])],
        ["because it was in other calls", secondText(late.inMpi[row])],
        ["because it left late before", secondText(late.leftLate[row])],
        ["first call", secondText(late.firstCall[row])],
        [
          "passed on",
          secondText(late.passedOn[row]) +
            (late.passedTo[row] >= 0 ? `, most to rank ${late.passedTo[row]}` : ""),
        ],
        ["root cause in collectives", secondText(late.rootCauseInCollectives[row])],
      );
    if (!late.noMessages)
      told.push(
        ["waited for messages", secondText(late.messagesWaited[row])],
        ["others waited for its messages", secondText(late.messagesCaused[row])],
        ["root cause of waits for messages", secondText(late.rootCauseForMessages[row])],
        ["longest chain of waits", String(late.chain[row])],
      );
    told.push([
      "root cause, in total",
      `${secondText(late.rootCause[row])}, ${percentText(ofAll(late, row))} of all waiting`,
    ]);
    return { head: rankName(run, rank), note: "", rows: told };
  }

  private save(): void {
    const { run } = this.context;
    const { late } = balanceOf(run);
    const columns = [
      ["waited", late.waited],
      ["waited_error", late.waitedError],
      ["caused", late.caused],
      ["caused_error", late.causedError],
      ["computing", late.computing],
      ["in_mpi", late.inMpi],
      ["left_late", late.leftLate],
      ["first_call", late.firstCall],
      ["passed_on", late.passedOn],
      ["root_cause_in_collectives", late.rootCauseInCollectives],
      ["messages_waited", late.messagesWaited],
      ["messages_caused", late.messagesCaused],
      ["root_cause_for_messages", late.rootCauseForMessages],
      ["root_cause", late.rootCause],
    ] as const;
    saveCsv("waiting", [
      ["rank", "host", ...columns.map(([name]) => `${name}_seconds`), "root_cause_of_all_waiting"],
      ...this.rows("rank").map((row) => [
        late.rank[row],
        hostOf(run, late.rank[row]),
        ...columns.map(([, values]) => values[row]),
        ofAll(late, row),
      ]),
    ]);
  }

  private picture(): void {
    const show = () => {
      this.show();
    };
    savePng("waiting", show, () => ({
      title: this.title(),
      scale: { low: "", high: "", colours: [], marks: this.entries() },
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: this.own.caption.textContent,
    }));
  }
}

/** Share of all waiting whose root cause is this rank. */
function ofAll({ rootCause }: LateData, row: number): number {
  let all = 0;
  for (const seconds of rootCause) all += seconds;
  return all ? rootCause[row] / all : 0;
}
