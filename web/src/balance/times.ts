/** The time of each rank as sorted bars, with its distribution over ranks. */
import type { Context } from "../shell/context.ts";
import { BarsDrawing } from "../ui/bars.ts";
import { list, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { PART_NAMES, type Part, partColour, PARTS } from "../ui/parts.ts";
import { savePng } from "../ui/pictures.ts";
import { dataTable } from "../ui/table.ts";
import { countOf, percentText, ratioText, secondText } from "../units.ts";
import { type Entry, entries, groupsOf, sortedRows } from "./bars.ts";
import { rankFacts } from "./facts.ts";
import { balanceOf, hostOf, rankName, rankTimes, type RankTimes, type Spread, spread } from "./model.ts";

type Order = "rank" | "node" | Part;
const ALIKE = 1.05; // times the mean: below that no rank is an outlier
const LEAST = 0.01; // of the run
const HEIGHT = 300;

export class TimesFigure {
  private readonly own = figure(
    "balance-times",
    () => {
      this.save();
    },
    () => {
      this.picture();
    },
  );
  readonly card = this.own.card;
  private readonly tools = element("div", [], "under");
  private readonly drawing: BarsDrawing;
  private readonly spreads = element("div", [], "spreads");
  private times: RankTimes;

  constructor(private readonly context: Context) {
    const stage = element("div");
    this.own.body.append(this.tools, stage, this.spreads);
    this.drawing = new BarsDrawing(stage);
    this.times = rankTimes(context.run, context.selection);
  }

  show(): void {
    const { context } = this;
    const { run } = context;
    const { ranks } = balanceOf(run);
    this.times = rankTimes(run, context.selection);
    const { times } = this;
    const parts = this.parts();
    const order = context.option<Order>("bars-by", ["rank", "node", ...parts]);
    const places = sortedRows(
      run,
      times.rows,
      order,
      order === "rank" || order === "node" ? null : times.parts[order],
    );
    // The sort key is shown on the axis, so that it can be compared.
    const first = parts.filter((part) => part === order);
    const series = [...first, ...parts.filter((part) => part !== order)].map((part) => ({
      name: PART_NAMES[part],
      colour: partColour(part, context.theme.dark),
      values: Float64Array.from(places, (place) => times.parts[part][place]),
    }));
    const rankOf = (bar: number) => ranks.rank[times.rows[places[bar]]];
    redraw(this.tools, [
      list(
        "sorted by",
        [
          { value: "rank", text: "rank" },
          ...(run.axes.hosts.length > 1 ? [{ value: "node", text: "node" }] : []),
          ...parts.map((part) => ({ value: part, text: PART_NAMES[part] })),
        ],
        order,
        (value) => {
          context.choose("bars-by", value === "rank" ? null : value);
        },
      ),
      entries(this.entries()),
    ]);
    this.own.title.textContent = this.title();
    this.drawing.show(
      {
        label: this.title(),
        count: places.length,
        up: series,
        down: [],
        mark: null,
        text: secondText,
        name: (bar) => String(rankOf(bar)),
        title: order === "rank" ? "rank" : `rank, sorted by ${order === "node" ? "node" : PART_NAMES[order]}`,
        groups: order === "node" ? groupsOf(places.length, (bar) => hostOf(run, rankOf(bar))) : [],
        facts: (bar) => rankFacts(run, times, places[bar]),
        choose: (bar) => {
          context.toggle("ranks", String(rankOf(bar)));
        },
        height: HEIGHT,
      },
      context.theme,
    );
    this.own.caption.textContent = this.caption(series[0]?.name ?? "");
    this.own.use.textContent = "Zoom with Ctrl and the wheel. Click to filter by the rank.";
    this.showSpreads();
  }

  /** The parts that any rank has. */
  private parts(): Part[] {
    const { parts } = this.times;
    return PARTS.filter((part) => parts[part].some((seconds) => seconds > 0));
  }

  private entries(): Entry[] {
    const { dark } = this.context.theme;
    return this.parts().map((part) => ({ colour: partColour(part, dark), text: PART_NAMES[part] }));
  }

  private title(): string {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const { rows, parts, ofCalls } = this.times;
    if (!rows.length) return "No rank is selected";
    const inMpi = parts.rest.map((seconds, place) => seconds + this.waited(place) + parts.files[place]);
    const called = spread(inMpi);
    const who = (place: number) => capital(rankName(run, ranks.rank[rows[place]]));
    if (ofCalls) {
      if (!called.most) return "No rank spends time in these calls";
      if (rows.length === 1) return `${who(0)} spends ${secondText(called.most)} in these calls`;
      const times = ratioText(called.most / called.mean);
      return called.most < ALIKE * called.mean
        ? `The time in these calls is balanced: ${secondText(called.mean)} a rank, at most ${times} times the mean`
        : `${who(called.at)} spends the most time in these calls: ${secondText(called.most)}, ${times} times the mean`;
    }
    const computed = spread(parts.computing);
    if (!called.most && !rows.some((row) => ranks.calls[row]))
      return "No MPI call between MPI_Init and MPI_Finalize";
    if (rows.length === 1)
      return `${who(0)} computes for ${percentText(computed.most / (ranks.run[rows[0]] || 1))} of its run`;
    // A negligible part of the run is no finding, however unevenly it is distributed.
    const least = LEAST * spread(Float64Array.from(rows, (row) => ranks.run[row])).mean;
    const standsOut = ({ most, mean }: Spread) => most >= ALIKE * mean && most - mean >= least;
    if (standsOut(computed)) {
      const more = computed.mean ? `${(100 * (computed.most / computed.mean - 1)).toFixed(0)} %` : "";
      return more
        ? `${who(computed.at)} computes ${more} longer than the mean`
        : `Only ${rankName(run, ranks.rank[rows[computed.at]])} computes`;
    }
    const times = ({ most, mean }: Spread) => `${ratioText(mean ? most / mean : 1)} times the mean`;
    if (standsOut(called))
      return `${who(called.at)} spends the most time in MPI: ${secondText(called.most)}, ${times(called)}`;
    return computed.mean >= called.mean
      ? `The ranks compute equally long: ${secondText(computed.mean)} each, at most ${times(computed)}`
      : `The time in MPI is balanced: ${secondText(called.mean)} a rank, at most ${times(called)}`;
  }

  private waited(place: number): number {
    const { parts } = this.times;
    return parts.collectives[place] + parts.messages[place];
  }

  private caption(first: string): string {
    const { ofCalls, waits, together, rows } = this.times;
    const { late, ranks } = balanceOf(this.context.run);
    const said = [
      ofCalls
        ? "One bar per rank: its time in the selected calls."
        : "One bar per rank: its time between MPI_Init and MPI_Finalize.",
      "Waiting (~) is an estimate from the calls whose arrivals and messages are known; unclassified time is in the rest of MPI, with the transfer.",
    ];
    if (!waits) said.push("Waiting is unknown by size, region or call site: it is in the rest of MPI here.");
    if (waits && late.noCollectives) said.push(`Waiting in collectives is unknown. ${late.noCollectives}`);
    if (waits && late.noMessages) said.push(`Waiting for messages is unknown. ${late.noMessages}`);
    if (ranks.threads.some((threads: number) => threads > 1))
      said.push("With several threads that call MPI, the mean is shown.");
    if (together > 1)
      said.push(`The calls of ${together} neighbouring ranks are stored together: each shows their mean.`);
    if (this.drawing.pooled)
      said.push(
        `${countOf(rows.length, "rank")} share fewer pixels: each pixel shows the mean of its ranks; the line and the pointer show the rank with the most “${first}”.`,
      );
    return said.join(" ");
  }

  private showSpreads(): void {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const rows = this.parts().map((part) => ({ part, ...spread(this.times.parts[part]) }));
    const rankAt = (place: number) => ranks.rank[this.times.rows[place]];
    redraw(this.spreads, [
      dataTable(
        [
          {
            name: "spread of",
            meaning: "part of the time",
            text: ({ part }) => PART_NAMES[part],
            value: ({ part }) => part,
          },
          {
            name: "mean",
            meaning: "summed over ranks",
            right: true,
            text: ({ mean }) => secondText(mean),
            value: ({ mean }) => mean,
          },
          {
            name: "most",
            meaning: "of a rank",
            right: true,
            text: ({ most }) => secondText(most),
            value: ({ most }) => most,
          },
          {
            name: "most / mean",
            meaning: "1: all are equal",
            right: true,
            text: ({ most, mean }) => ratioText(most / mean),
            value: ({ most, mean }) => most / mean,
          },
          {
            name: "rank with the most",
            meaning: "and its node",
            text: ({ at }) => rankName(run, rankAt(at)),
            value: ({ at }) => rankAt(at),
          },
        ],
        rows,
        {
          label: "spread over ranks",
          empty: "No rank spends time in the selection: select other calls or ranks.",
          pick: ({ at }) => {
            this.context.toggle("ranks", String(rankAt(at)));
          },
        },
      ),
    ]);
  }

  private save(): void {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const { rows, parts } = this.times;
    saveCsv("balance", [
      ["rank", "host", "run_seconds", ...PARTS.map((part) => `${part}_seconds`)],
      ...Array.from(rows, (row, place) => [
        ranks.rank[row],
        hostOf(run, ranks.rank[row]),
        ranks.run[row],
        ...PARTS.map((part) => parts[part][place]),
      ]),
    ]);
  }

  private picture(): void {
    const show = () => {
      this.show();
    };
    savePng("balance", show, () => ({
      title: this.title(),
      scale: { low: "", high: "", colours: [], marks: this.entries() },
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: this.own.caption.textContent,
    }));
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
