/** The page Network: every figure shows the same state, and each of them can change it. */
import "./network.css";
import type { Context } from "../shell/context.ts";
import type { Open } from "../shell/page_interface.ts";
import type { NetworkData } from "./contract.ts";
import { choice, list, type Option, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { legend } from "../ui/legend.ts";
import { type Picture, savePng, saveSvg } from "../ui/pictures.ts";
import { causesTable } from "./causes.ts";
import { chosenPart } from "./chosen.ts";
import { Flows } from "./flows.ts";
import { classesOf, histogram, histogramTitle } from "./histograms.ts";
import { hotTable } from "./hot_links.ts";
import { LevelMatrices, levelPairs, pairOf } from "./level_matrices.ts";
import { LevelsDrawing } from "./levels.ts";
import { linkScale, pairScale } from "./legend.ts";
import {
  causeLines,
  flowLines,
  hotLines,
  type Lines,
  linkLines,
  matrixLines,
  pairLines,
  spreadLines,
} from "./lines.ts";
import { Network } from "./model.ts";
import { partOf } from "./part.ts";
import { RankMatrix } from "./rank_matrix.ts";
import {
  ALL,
  BETWEEN,
  type Choice,
  type Direction,
  fromOptions,
  type Limits,
  SLOW_ONES,
  type State,
  toOptions,
  type Unit,
} from "./state.ts";
import { type FigureName, tell } from "./texts.ts";
import { type View, viewOf } from "./view.ts";

type PictureName = "levels" | "matrices" | "ranks";

const DIRECTIONS: Option<Direction>[] = [
  { value: "larger", text: "larger direction" },
  { value: "up", text: "up" },
  { value: "down", text: "down" },
];

function units(rates: boolean): Option<Unit>[] {
  return [
    { value: "bytes", text: "bytes" },
    { value: "messages", text: "messages" },
    {
      value: "seconds",
      text: "time",
      missing: rates ? "" : "The rates of the links are unknown.",
    },
    { value: "ratio", text: "× mean" },
  ];
}

export class NetworkPage implements Open {
  private readonly network: Network;
  private readonly flows: Flows;
  private view: View;
  private readonly choices = element("div", [], "choices wide");
  private readonly levels: LevelsDrawing;
  private readonly matrices: LevelMatrices;
  private readonly ranks: RankMatrix;
  private readonly figures: Record<FigureName, Figure>;
  private readonly scale = element("div", [], "legend");
  private readonly pairs = element("div", [], "legend");
  private readonly pairsOfLevels = element("div");
  private readonly idle = element("div");
  private readonly classes = element("div", [], "filter");
  private readonly hot = element("div");

  constructor(
    private readonly context: Context,
    private readonly data: NetworkData,
    private readonly parent: HTMLElement,
  ) {
    this.network = new Network(data);
    this.flows = new Flows(this.network);
    this.view = this.looked();
    this.figures = this.madeFigures();
    const { levels, hot, matrices, ranks } = this.figures;
    const choose = (chosen: Choice) => {
      this.change({ choice: chosen });
    };
    levels.body.append(this.scale);
    matrices.body.append(this.pairsOfLevels);
    ranks.body.append(this.pairs);
    hot.body.append(this.classes, this.hot);
    this.place();
    this.levels = new LevelsDrawing(levels.body, choose, this.idle);
    this.matrices = new LevelMatrices(matrices.body, choose);
    this.ranks = new RankMatrix(ranks.body, choose);
    this.show();
  }

  escape(): boolean {
    const chosen = this.view.state.choice.kind !== "none";
    if (chosen) this.change({ choice: { kind: "none" } });
    return chosen;
  }

  private looked(): View {
    const { selection, state } = this.context;
    const now = fromOptions(state.options, this.limits());
    return viewOf(this.network, this.flows, now, partOf(this.data, selection));
  }

  private limits(): Limits {
    return {
      rails: this.network.rails,
      classes: this.data.classes.length,
      groups: this.network.groups,
      cells: this.flows.size,
    };
  }

  private madeFigures(): NetworkPage["figures"] {
    const image = (name: PictureName, parts: () => Picture["parts"]) => () => {
      const { title, caption } = this.figures[name];
      const show = () => {
        this.show();
      };
      savePng(name, show, () => ({
        title: title.textContent,
        scale: name === "ranks" ? pairScale(this.view) : linkScale(this.view),
        parts: parts(),
        caption: `${caption.textContent} ${this.data.captions.join(". ")}.`,
      }));
    };
    const whole = (canvas: HTMLCanvasElement) => [{ title: "", canvas }];
    return {
      levels: figure(
        "levels",
        this.csv("links", linkLines),
        image("levels", () => whole(this.levels.canvas)),
      ),
      hot: figure("hot", this.csv("hot-links", hotLines), null),
      chosen: figure("chosen", this.csv("pairs", pairLines), null),
      matrices: figure(
        "matrices",
        this.csv("matrices", matrixLines),
        image("matrices", () => this.matrices.parts),
      ),
      ranks: figure(
        "ranks",
        this.csv("flows", flowLines),
        image("ranks", () => whole(this.ranks.canvas)),
      ),
      causes: figure("causes", this.csv("causes", causeLines), null),
      spread: figure("spread", this.csv("histograms", spreadLines), () => {
        const drawn = this.figures.spread.body.querySelectorAll("svg");
        const titles = classesOf(this.view).map(histogramTitle);
        saveSvg(
          "histograms",
          titles.map((title, place) => ({ title, svg: drawn[place] })),
        );
      }),
    };
  }

  private csv(name: string, lines: (view: View) => Lines): () => void {
    return () => {
      saveCsv(name, lines(this.view));
    };
  }

  private place(): void {
    const { levels, hot, chosen, matrices, ranks, causes, spread } = this.figures;
    this.parent.append(
      this.found(),
      this.choices,
      element("div", [levels.card, matrices.card], "column"),
      element("div", [hot.card, chosen.card], "column"),
      element("div", [ranks.card, element("div", [causes.card, spread.card], "column")], "halves wide"),
    );
  }

  private found(): HTMLElement {
    const { finding, lead, about, warnings } = this.data;
    const phrases = about.map((phrase) => element("span", phrase));
    const parts = [element("h2", finding), element("p", lead, "lead"), element("p", phrases, "about")];
    if (warnings.length) parts.push(element("p", `Beware: ${warnings.join("; ")}`, "warnings"));
    return element("div", parts, "found wide");
  }

  private change(change: Partial<State>): void {
    this.context.chooseAll(toOptions({ ...this.view.state, ...change }), change.choice !== undefined);
  }

  show(): void {
    this.view = this.looked();
    const { view } = this;
    this.controls();
    tell(this.figures, view);
    redraw(this.scale, legend(linkScale(view)));
    redraw(this.pairs, legend(pairScale(view)));
    this.levels.show(view);
    const pairs = levelPairs(view.rail);
    const pair = pairOf(view);
    this.figures.matrices.card.hidden = !pair;
    if (pair) {
      const options = pairs.map(([low, high]) => ({
        value: low,
        text: low === high ? `level ${low}` : `levels ${low} and ${high}`,
      }));
      redraw(
        this.pairsOfLevels,
        pairs.length > 1
          ? [
              choice("levels", options, pair[0], (level) => {
                this.change({ level });
              }),
            ]
          : [],
      );
      this.matrices.show(view, pair);
    }
    this.ranks.show(view);
    this.tables();
  }

  private controls(): void {
    const { data, network } = this;
    const { state } = this.view;
    const rates = network.rails.some((rail) =>
      rail.data.links.rate.some((rate: number) => !Number.isNaN(rate)),
    );
    const named = (names: string[]) => names.map((text, value) => ({ value, text }));
    const rails = data.rails.map((rail, value) => ({ value, text: rail.name || `rail ${value + 1}` }));
    const parts: Node[] = [];
    if (rails.length > 1)
      parts.push(
        choice("rail", rails, state.rail, (rail) => {
          this.change({ rail, choice: { kind: "none" } });
        }),
      );
    if (this.view.rail.upright)
      parts.push(
        choice("direction", DIRECTIONS, state.direction, (direction) => {
          this.change({ direction });
        }),
      );
    parts.push(
      choice("unit", units(rates), state.unit, (unit) => {
        this.change({ unit });
      }),
    );
    redraw(this.choices, parts);
    redraw(this.idle, [
      choice(
        "links",
        [
          { value: false, text: "used links" },
          { value: true, text: "idle ones, too" },
        ],
        state.unused,
        (unused) => {
          this.change({ unused });
        },
      ),
    ]);
    const there = new Set(this.view.classes.flatMap((of) => of.map((facts) => facts.class)));
    const classes = [
      { value: BETWEEN, text: "between switches" },
      { value: ALL, text: "all links" },
      ...named(data.classes).filter(({ value }) => there.has(value)),
    ];
    if (network.rails.some((rail) => rail.data.links.slow.some((slow: number) => slow > 0)))
      classes.push({ value: SLOW_ONES, text: "slow cables" });
    redraw(this.classes, [
      list("class", classes, state.class, (value) => {
        this.change({ class: value });
      }),
    ]);
  }

  private tables(): void {
    const { view, figures } = this;
    const choose = (chosen: Choice) => {
      this.change({ choice: chosen });
    };
    const hot = element("div", hotTable(view, choose), "scroll");
    const top = this.hot.firstElementChild?.scrollTop ?? 0;
    redraw(this.hot, [hot]);
    hot.scrollTop = top;
    redraw(
      figures.chosen.body,
      chosenPart(view, choose, (filter) => {
        this.context.filter(filter);
      }),
    );
    redraw(figures.causes.body, [element("div", causesTable(view, choose), "scroll")]);
    const spread = element("div", [], "pair three");
    for (const facts of classesOf(view)) {
      const drawn = histogram(view, facts, (links) => {
        choose({ kind: "links", rail: view.state.rail, links });
      });
      spread.append(element("div", [element("h3", histogramTitle(facts)), drawn]));
    }
    redraw(figures.spread.body, [spread]);
  }
}
