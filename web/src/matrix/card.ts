/** A matrix of the page, with its buttons, its data and its image. */
import type { Context } from "../shell/context.ts";
import { type Scale, STEPS, type Theme } from "../ui/colours.ts";
import { redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { type Cell, saveCsv } from "../ui/files.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { legend } from "../ui/legend.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import type { Rule } from "../ui/matrix_axes.ts";
import { savePng } from "../ui/pictures.ts";
import { countOf } from "../units.ts";
import type { MessagesData } from "./contract.ts";
import { factsOf } from "./facts.ts";
import { finding } from "./findings.ts";
import { amountText, measureText } from "./measures.ts";
import { rowOfEach, type View } from "./view.ts";

const ZOOM = 1.6;
const DECADES = 1000;
const MOST_RULES = 16;
const USE = "Zoom with Ctrl and the wheel, or draw a box with Shift; click to select the ranks of a pair.";

export class MatrixCard {
  readonly figure: Figure;
  private readonly scale = element("div", [], "legend");
  private readonly drawing: MatrixDrawing;
  private view: View | null = null;
  private notes: string[] = [];

  constructor(
    private readonly context: Context,
    private readonly data: MessagesData,
    id: string,
  ) {
    this.figure = figure(
      id,
      () => {
        saveCsv(id, this.lines());
      },
      () => {
        this.image(id);
      },
    );
    const zoom = element(
      "div",
      [
        button(
          "−",
          () => {
            this.drawing.zoomBy(1 / ZOOM);
          },
          "zoom out",
        ),
        button(
          "+",
          () => {
            this.drawing.zoomBy(ZOOM);
          },
          "zoom in",
        ),
        button(
          "whole",
          () => {
            this.drawing.zoomOut();
          },
          "show the whole matrix",
        ),
      ],
      "tools zoom",
    );
    const stage = element("div", [], "matrix-stage");
    this.figure.body.append(element("div", [this.scale, zoom], "matrix-head"), stage);
    this.drawing = new MatrixDrawing(stage);
  }

  show(view: View, notes: string[]): void {
    this.view = view;
    this.notes = notes;
    const { context } = this;
    const { ends, cells, measure } = view;
    const what = ends.kind === "node" ? "node" : ends.together > 1 ? "ranks" : "rank";
    const name = (row: number) => ends.name(ends.rows.rank[row]);
    this.figure.title.textContent = finding(view);
    this.figure.caption.textContent = this.caption(view);
    this.figure.use.textContent = USE;
    redraw(this.scale, legend(this.colours(view, context.theme)));
    this.drawing.show(
      {
        label: `Matrix of ${countOf(ends.count, what)}: rows send, columns receive`,
        rows: ends.count,
        columns: ends.count,
        values: view.values,
        lit: view.lit,
        hot: null,
        logarithmic: this.logarithmic,
        most: most(view),
        rowName: name,
        columnName: name,
        rowTitle: `from ${what}`,
        columnTitle: `to ${what}`,
        text: (value) => measureText(measure, value < 1e-20 ? 0 : value),
        facts: (row, column) => factsOf(view, context.run, this.data, row, column),
        choose: (row, column) => {
          context.toggle("ranks", this.pair(view, row, column));
        },
        chosen: this.chosen(view),
        largest: 110,
        highest: 760,
        square: true,
        sparse: cells,
        rules: betweenNodes(view),
        sums: { above: view.received, right: view.sent },
      },
      context.theme,
    );
  }

  private get logarithmic(): boolean {
    return this.context.option("matrix-scale", ["log", "linear"]) === "log";
  }

  /** The ranks of both ends, as a filter, the sender's first. */
  private pair({ ends }: View, row: number, column: number): string {
    const both = [row, column].map((place) => ends.ranks(ends.rows.rank[place]));
    return [...new Set(both)].join(",");
  }

  private chosen(view: View): [number, number] | null {
    const wanted = this.context.state.filter.ranks;
    const found = /^(\d+)(?:-\d+)?(?:,(\d+)(?:-\d+)?)?$/.exec(wanted);
    if (!found) return null;
    const { ends } = view;
    const row = [Number(found[1]), Number(found.at(2) ?? found[1])].map((rank) => {
      const end =
        ends.kind === "node"
          ? ends.node(this.context.run.axes.hostOf[rank])
          : Math.floor(rank / ends.together);
      return end < ends.count ? ends.rows.row[end] : -1;
    });
    return row[0] >= 0 && row[1] >= 0 && this.pair(view, row[0], row[1]) === wanted ? [row[0], row[1]] : null;
  }

  private colours(view: View, theme: Theme): Scale {
    const highest = most(view);
    return {
      low: this.logarithmic
        ? `up to ${amountText(view.measure, highest / DECADES)}`
        : measureText(view.measure, 0),
      high: amountText(view.measure, highest),
      colours: [0, 0.25, 0.5, 0.75, 1].map((place) => theme.ramp[Math.round(place * (STEPS - 1))]),
      marks: view.lit ? [{ colour: theme.unlit, text: "not chosen" }] : [],
    };
  }

  private caption(view: View): string {
    const { ends, measure } = view;
    const sums = measure === "size" ? "mean sizes" : "sums";
    const texts = [
      `Rows send, columns receive. Bars: ${sums} of data sent (right) and received (above), from 0.`,
    ];
    if (ends.together > 1)
      texts.push(`Each row and column is ${ends.together} neighbouring ranks, their messages added up.`);
    texts.push("Where a pixel has several cells or bars, it shows the largest of them.");
    const { total } = view;
    texts.push(`In total ${amountText("bytes", total.bytes)} in ${amountText("messages", total.messages)}.`);
    return [...texts, ...this.notes].join(" ");
  }

  /** The chosen pairs that are on the screen. */
  private *lines(): Generator<Cell[]> {
    const { view } = this;
    if (!view) return;
    const { ends, cells } = view;
    const rank = ends.kind === "rank";
    yield rank
      ? ["source", "destination", "source_host", "destination_host", "messages", "bytes"]
      : ["source", "destination", "messages", "bytes"];
    const { rows, columns } = this.drawing.part;
    const row = rowOfEach(cells);
    for (let cell = 0; cell < row.length; cell++) {
      if (row[cell] < rows[0] || row[cell] >= rows[1]) continue;
      if (cells.column[cell] < columns[0] || cells.column[cell] >= columns[1]) continue;
      if (!cells.chosen.messages[cell]) continue;
      const both = [ends.rows.rank[row[cell]], ends.rows.rank[cells.column[cell]]];
      const hosts = rank ? both.map((end) => ends.host(end)) : [];
      yield [
        ...both.map((end) => ends.name(end)),
        ...hosts,
        cells.chosen.messages[cell],
        cells.chosen.bytes[cell],
      ];
    }
  }

  private image(name: string): void {
    const { view } = this;
    if (!view) return;
    const show = () => {
      this.show(view, this.notes);
    };
    savePng(name, show, () => ({
      title: finding(view),
      scale: this.colours(view, this.context.theme),
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: this.caption(view),
    }));
  }
}

/** Lines between the ranks of different nodes, as long as they are far apart. */
function betweenNodes({ ends }: View): Rule[] {
  if (ends.kind === "node" || ends.together > 1) return [];
  const found: Rule[] = [];
  for (let at = 1; at < ends.count && found.length < MOST_RULES; at++)
    if (ends.node(ends.rows.rank[at]) !== ends.node(ends.rows.rank[at - 1]))
      found.push({ at, from: 0, to: ends.count, width: 1 });
  return found.length < Math.min(MOST_RULES, ends.count - 1) ? found : [];
}

function most({ lit, values }: View): number {
  return (lit ?? values).reduce((one, other) => Math.max(one, other), 0);
}
