/** The activity of ranks over time: a heat map of rank and time, with the phases that are found in it. */
import "./time_line.css";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { type Scale, STEPS } from "../ui/colours.ts";
import { choice, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { legend } from "../ui/legend.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import { savePng } from "../ui/pictures.ts";
import { givenTable, tableLines } from "../ui/table.ts";
import type { Facts } from "../ui/tip.ts";
import { countOf, percentText, secondText, secondTexts } from "../units.ts";
import { margins } from "./margins.ts";
import {
  AMOUNTS,
  MEASURE_NAMES,
  MEASURES,
  phaseAt,
  ranksText,
  type Rows,
  rowsOf,
  timeLineOf,
  valueText,
} from "./model.ts";
import { Ports } from "./ports.ts";
import type { Measure, Phases } from "./contract.ts";

const [ROW, HIGHEST] = [22, 620];

export const page: Page = {
  name: "time-line",
  title: "Time line",
  order: 80,
  options: ["time-of", "time-rows"],
  there: ({ run }) => run.timeLine !== undefined,
  ignores: ({ selection }) =>
    selection.chosen.some((key) => key !== "ranks" && key !== "node")
      ? "The time line covers all calls, because the times of individual calls are not recorded. Only filters by rank and node apply here."
      : "",
  open: (context, parent) => {
    const missing = context.run.timeLine?.missing;
    if (!missing) return new TimeLinePage(context, parent);
    parent.append(element("p", missing, "empty"));
    return { show: () => undefined };
  },
};

class TimeLinePage implements Open {
  private readonly heat = figure(
    "time-line",
    () => {
      this.save();
    },
    () => {
      this.picture();
    },
  );
  private readonly phases = figure(
    "phases",
    () => {
      saveCsv("phases", tableLines(timeLineOf(this.context.run).phases.table));
    },
    null,
  );
  private readonly tools = element("div", [], "under");
  private readonly stage = element("div");
  private readonly none = element("p", "The selected ranks have no time line: select others.", "empty");
  private readonly drawing: MatrixDrawing;
  private readonly ports: Ports | null;
  private rows: Rows;

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    this.heat.body.append(this.tools, this.stage, this.none);
    const data = timeLineOf(context.run);
    this.ports = data.ports ? new Ports(context, data, data.ports) : null;
    parent.append(this.heat.card, ...(this.ports ? [this.ports.card] : []), this.phases.card);
    this.drawing = new MatrixDrawing(this.stage);
    this.rows = this.found();
    this.show();
  }

  show(): void {
    const { context } = this;
    const data = timeLineOf(context.run);
    this.rows = this.found();
    const { rows, measure } = this;
    this.stage.hidden = !rows.ranks.length;
    this.none.hidden = !this.stage.hidden;
    redraw(this.tools, [
      choice("quantity shown", MEASURES, measure, (value) => {
        context.choose("time-of", value === "mpi" ? null : value);
      }),
      ...(context.run.axes.hosts.length > 1 ? [this.orders()] : []),
      element("div", legend(this.scale()), "legend"),
    ]);
    this.heat.title.textContent = this.title();
    this.heat.caption.textContent = this.caption();
    this.heat.use.textContent =
      "Zoom with Ctrl and the wheel, drag to move, double-click to show everything; click to filter by the rank.";
    if (rows.ranks.length)
      this.drawing.show(
        {
          label: this.title(),
          rows: rows.ranks.length,
          columns: data.count,
          values: rows.values,
          lit: null,
          hot: null,
          logarithmic: measure !== "mpi",
          most: rows.most,
          rowName: (row) => rangeText(rows.ranks[row]),
          columnName: () => "",
          rowTitle: data.together > 1 ? "ranks" : "rank",
          columnTitle: "",
          text: null,
          facts: (row, column) => this.facts(row, column),
          choose: (row) => {
            context.toggle("ranks", rangeText(rows.ranks[row]));
          },
          chosen: null,
          largest: Infinity,
          highest: HIGHEST,
          square: false,
          rowHeight: ROW,
          margins: margins(data, rows, context.theme),
        },
        context.theme,
      );
    this.ports?.show();
    this.showPhases();
  }

  private get measure(): Measure {
    return this.context.option(
      "time-of",
      MEASURES.map(({ value }) => value),
    );
  }

  private get byNode(): boolean {
    return !this.mixed && this.context.option("time-rows", ["rank", "node"]) === "node";
  }

  /** Whether rows have ranks of several nodes. */
  private get mixed(): boolean {
    const { run } = this.context;
    const { rank, together } = timeLineOf(run);
    const host = (place: number) => run.axes.hostOf[rank[place]];
    return rank.some((_: number, place: number) => host(place) !== host(place - (place % together)));
  }

  private found(): Rows {
    return rowsOf(this.context.run, this.context.selection, this.measure, this.byNode);
  }

  private orders(): HTMLElement {
    const { together } = timeLineOf(this.context.run);
    const missing = this.mixed ? `a row is ${together} neighbouring ranks on several nodes` : "";
    return choice(
      "rows",
      [
        { value: "rank", text: "by rank" },
        { value: "node", text: "by node", missing },
      ],
      this.byNode ? "node" : "rank",
      (value) => {
        this.context.choose("time-rows", value === "rank" ? null : value);
      },
    );
  }

  private scale(): Scale {
    const { measure, rows } = this;
    const { ramp, ground } = this.context.theme;
    const colours = [0, 0.25, 0.5, 0.75, 1].map((place) => ramp[Math.round(place * (STEPS - 1))]);
    const nothing = { colour: ground, text: "nothing" };
    if (measure === "mpi") return { low: "0 %", high: "100 % in MPI", colours, marks: [] };
    return {
      low: `up to ${valueText(measure, rows.most / 1000)}`,
      high: valueText(measure, rows.most),
      colours,
      marks: [nothing],
    };
  }

  private title(): string {
    const { measure, context } = this;
    const { phases } = timeLineOf(context.run);
    const values = phases[measure];
    if (measure === "mpi") return inMpiTitle(phases);
    const best = values.indexOf(Math.max(...values));
    if (!values[best]) return `No ${MEASURE_NAMES[measure]}`;
    const span = spanText(phases, best);
    if (values.length === 1)
      return `From ${span}, ${valueText(measure, values[0])} summed over ranks: ${MEASURE_NAMES[measure]}`;
    return `Phase ${best + 1}, from ${span}, has the most ${MEASURE_NAMES[measure]}: ${valueText(measure, values[best])} summed over ranks`;
  }

  private caption(): string {
    const { context, measure, rows } = this;
    const data = timeLineOf(context.run);
    const said = [
      `A row is ${data.together > 1 ? `${data.together} neighbouring ranks, and shows the one with the most; means are with the pointer` : "a rank"}, a column ${secondText(data.width)}. Colour: ${MEASURE_NAMES[measure]}${measure === "mpi" ? "" : ", by orders of magnitude"}; blank: ${data.together > 1 ? "none of them" : "the rank"} was not there.`,
      "Above: the phases of the run and the mean over ranks; on the right: the mean over time.",
    ];
    const pixels = this.stage.clientWidth - 180;
    if (data.count > pixels || rows.ranks.length > HIGHEST)
      said.push("If cells are smaller than pixels, a pixel shows the largest one.");
    if (data.together > 1 && context.selection.chosen.length)
      said.push("Rows with any of the selected ranks are shown.");
    const unknown = context.run.axes.ranks - data.rank.length;
    if (unknown) said.push(`Nothing is known about ${countOf(unknown, "rank")}.`);
    if (data.precision) said.push(data.precision);
    return said.join(" ");
  }

  private facts(row: number, column: number): Facts {
    const { context, measure, rows } = this;
    const data = timeLineOf(context.run);
    const from = data.begin + column * data.width;
    const ranks = rows.ranks[row];
    const cell = row * data.count + column;
    const phase = phaseAt(data, from + data.width / 2);
    const several = ranks.length > 1;
    const host = context.run.axes.hosts.at(context.run.axes.hostOf[ranks[0]]) ?? "";
    return {
      head: ranksText(ranks) + (several || !host ? "" : ` (${host})`),
      note: `${secondTexts([Math.max(from, 0), from + data.width]).join(" to ")}${phase < 0 ? "" : `, phase ${phase + 1}`}`,
      rows: [
        [MEASURE_NAMES[measure], valueText(measure, rows.means[cell])],
        ...(several
          ? [["the rank with the most", valueText(measure, rows.values[cell])] as [string, string]]
          : []),
        ["mean over ranks", valueText(measure, rows.overRows[column])],
        ["mean over time", valueText(measure, rows.overTime[row])],
      ],
    };
  }

  private showPhases(): void {
    const data = timeLineOf(this.context.run);
    this.phases.title.textContent = data.title;
    this.phases.caption.textContent =
      "A phase is a part of the run with similar average behaviour of all ranks, regardless of the selection.";
    redraw(this.phases.body, [givenTable(data.phases.table, { label: "phases" })]);
  }

  private save(): void {
    const { rows, measure } = this;
    const { count, begin, width, together } = timeLineOf(this.context.run);
    const head = [
      "ranks",
      "from_seconds",
      "to_seconds",
      measure === "mpi" ? "percent_of_mpi" : `${measure}_per_second`,
      "seconds_there",
      AMOUNTS[measure],
    ];
    // The share, or the rate, refers to the time that the ranks were running: only the amounts add up.
    const amount = (cell: number) => (rows.means[cell] * rows.there[cell]) / (measure === "mpi" ? 100 : 1);
    saveCsv("time-line", [
      [...head, ...(together > 1 ? ["most_of_a_rank"] : [])],
      ...rows.ranks.flatMap((ranks, row) =>
        Array.from({ length: count }, (_, column) => {
          const cell = row * count + column;
          const from = begin + column * width;
          return [
            rangeText(ranks),
            from,
            from + width,
            rows.means[cell],
            rows.there[cell],
            amount(cell),
            ...(together > 1 ? [rows.values[cell]] : []),
          ];
        }),
      ),
    ]);
  }

  private picture(): void {
    const show = () => {
      this.show();
    };
    savePng("time-line", show, () => ({
      title: this.title(),
      scale: this.scale(),
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: this.heat.caption.textContent,
    }));
  }
}

function spanText({ begin, end }: Phases, phase: number): string {
  return secondTexts([begin[phase], end[phase]]).join(" to ");
}

function inMpiTitle(phases: Phases): string {
  const { begin, end, mpi } = phases;
  const length = begin.map((from, phase) => end[phase] - from);
  const whole = length.reduce((sum, seconds) => sum + seconds, 0);
  const spent = length.map((seconds, phase) => seconds * mpi[phase]);
  const most = spent.indexOf(Math.max(...spent));
  const many = begin.length > 1 ? `${begin.length} phases; most time in MPI is in phase ${most + 1}: ` : "";
  const span = `from ${spanText(phases, most)}`;
  if (!spent[most] && !phases.calls.some((calls) => calls > 0))
    return `No MPI call between MPI_Init and MPI_Finalize, ${span}`;
  const share = percentText(whole ? length[most] / whole : 0);
  return `${many}${percentText(mpi[most] / 100)} in MPI ${span}, ${share} of the run`;
}

function rangeText(ranks: readonly number[]): string {
  return ranks.length === 1 ? String(ranks[0]) : `${ranks[0]}-${ranks[ranks.length - 1]}`;
}
