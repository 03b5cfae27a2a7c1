/** The Network page: every figure shows the same state, and each of them can change it. */
import type { NetworkData } from "./contract.ts";
import { choice, list, type Option, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { finely } from "../ui/dots.ts";
import { saveCsv } from "../ui/files.ts";
import { type Picture, savePng, saveSvg } from "../ui/pictures.ts";
import { causesTable } from "./causes.ts";
import { chosenPart } from "./chosen.ts";
import { Flows } from "./flows.ts";
import { classesOf, histogram, histogramTitle } from "./histograms.ts";
import { hotTable, hottest } from "./hot_links.ts";
import { LevelMatrices, levelPairs } from "./level_matrices.ts";
import { LevelsDrawing } from "./levels.ts";
import { legend, linkScale, pairScale } from "./legend.ts";
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
import { RankMatrix } from "./rank_matrix.ts";
import {
  BETWEEN,
  type Choice,
  type Direction,
  fromAddress,
  type Limits,
  type State,
  toAddress,
  type Unit,
} from "./state.ts";
import { type View, viewOf } from "./view.ts";

type PictureName = "levels" | "matrices" | "ranks";
/** Dots of a picture for each pixel, at least. */
const FINE = 2;

const DIRECTIONS: Option<Direction>[] = [
  { value: "larger", text: "larger direction" },
  { value: "up", text: "up" },
  { value: "down", text: "down" },
];

const BLOCKS = "flows are known by blocks of ranks, and shared out by the number of their pairs";

function units(rates: boolean): Option<Unit>[] {
  return [
    { value: "bytes", text: "bytes" },
    { value: "messages", text: "messages" },
    {
      value: "seconds",
      text: "time",
      missing: rates ? "" : "The fabric does not tell how fast its links are.",
    },
    { value: "ratio", text: "× mean" },
  ];
}

export class NetworkPage {
  private readonly network: Network;
  private readonly flows: Flows;
  private state: State;
  private view: View;
  private readonly nav = element("nav");
  private readonly levels: LevelsDrawing;
  private readonly matrices: LevelMatrices;
  private readonly ranks: RankMatrix;
  private readonly figures: Record<
    "levels" | "hot" | "chosen" | "matrices" | "ranks" | "causes" | "spread",
    Figure
  >;
  private readonly scale = element("div", [], "legend");
  private readonly pairs = element("div", [], "legend");
  private readonly pairsOfLevels = element("div");
  private readonly idle = element("div");
  private readonly classes = element("div", [], "filter");
  private readonly hot = element("div");

  constructor(
    private readonly data: NetworkData,
    private readonly parent: HTMLElement,
  ) {
    this.network = new Network(data);
    this.flows = new Flows(this.network);
    this.state = fromAddress(window.location.hash, this.limits());
    this.view = viewOf(this.network, this.flows, this.state);
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
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") choose({ kind: "none" });
    });
    window.addEventListener("hashchange", () => {
      this.state = fromAddress(window.location.hash, this.limits());
      this.show();
    });
  }

  private limits(): Limits {
    return {
      rails: this.network.rails,
      communicators: this.data.communicators.length + this.data.families.length,
      procedures: this.data.procedures.length,
      classes: this.data.classes.length,
      groups: this.network.groups,
      cells: this.flows.size,
    };
  }

  private madeFigures(): NetworkPage["figures"] {
    const image = (name: PictureName, parts: () => Picture["parts"]) => () => {
      const { title, caption } = this.figures[name];
      finely(FINE, () => {
        this.show();
        savePng(name, {
          title: `${title.textContent} · ${this.data.finding}`,
          scale: name === "ranks" ? pairScale(this.view) : linkScale(this.view),
          parts: parts(),
          caption: `${caption.textContent} ${this.data.captions.join(". ")}.`,
        });
      });
      this.show();
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
      this.nav,
      element("div", [levels.card, matrices.card], "column"),
      element("div", [hot.card, chosen.card], "column"),
      element("div", [ranks.card, element("div", [causes.card, spread.card], "column")], "halves wide"),
    );
  }

  private change(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    const address = toAddress(this.state);
    window.history.replaceState(
      null,
      "",
      address ? `#${address}` : window.location.pathname + window.location.search,
    );
    this.show();
  }

  show(): void {
    this.view = viewOf(this.network, this.flows, this.state);
    const { view } = this;
    this.controls();
    this.texts();
    redraw(this.scale, legend(linkScale(view)));
    redraw(this.pairs, legend(pairScale(view)));
    this.levels.show(view);
    const pairs = levelPairs(view.rail);
    this.figures.matrices.card.hidden = !pairs.length;
    if (pairs.length) {
      const pair = pairs.find(([low]) => low === this.state.level) ?? pairs[0];
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
    const { data, state, network } = this;
    const rates = network.rails.some((rail) =>
      rail.data.links.rate.some((rate: number) => !Number.isNaN(rate)),
    );
    const all = (what: string) => ({ value: -1, text: `all ${what}` });
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
      list(
        "communicator",
        [all("communicators"), ...network.communicatorSets()],
        state.communicator,
        (communicator) => {
          this.change({ communicator });
        },
      ),
      list("call", [all("calls"), ...named(data.procedures)], state.procedure, (procedure) => {
        this.change({ procedure });
      }),
    );
    redraw(this.nav, parts);
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
      all("links"),
      ...named(data.classes).filter(({ value }) => there.has(value)),
    ];
    redraw(this.classes, [
      list("class", classes, state.class, (value) => {
        this.change({ class: value });
      }),
    ]);
  }

  private texts(): void {
    const { view, figures, data, flows } = this;
    const [first] = hottest(view, 1);
    const looked = this.looked();
    figures.levels.title.textContent = view.lit
      ? `Where it goes: ${view.lit.name}`
      : `The fabric of the job${view.rail.data.name ? `, ${view.rail.data.name}` : ""}${looked}`;
    figures.levels.caption.textContent =
      `Hosts at the bottom, switches above; parallel links are one line, thicker, in the colour of the one that carries most. ` +
      "Directions are never added up." +
      (view.lit?.partial ? " Many flows take the chosen link: the ways of some are lit." : "") +
      (view.lit?.estimated.links ? ` What of the chosen goes over a link is estimated: ${BLOCKS}.` : "");
    figures.hot.title.textContent =
      (first as unknown) === undefined ? "No link is used" : `Hottest: ${view.text(first.value)}${looked}`;
    figures.hot.caption.textContent =
      "Beside the load: what it is of the mean of the used links of its class. Below: what causes it.";
    figures.chosen.title.textContent = view.state.choice.kind === "none" ? "Nothing is chosen" : "Chosen";
    figures.chosen.caption.textContent = view.lit?.estimated.cells
      ? `What of each pair goes through the link is estimated: ${BLOCKS}.`
      : "";
    figures.matrices.title.textContent = view.lit
      ? `Between levels: ${view.lit.name}`
      : `Between levels${looked}`;
    figures.matrices.caption.textContent =
      "A cell is the most loaded of the parallel links between two switches. Grey: a link that carries nothing; empty: no link.";
    figures.ranks.title.textContent = view.lit ? `Ranks: ${view.lit.name}` : `Between ranks${looked}`;
    const blocks = flows.data.together;
    figures.ranks.caption.textContent =
      "From row to column, between different hosts; colours are logarithmic." +
      (blocks > 1
        ? ` Each cell: the sum of ${blocks} × ${blocks} pairs; what of it goes through a link is estimated by the number of its pairs.`
        : "") +
      " Where a pixel has several cells, it shows the largest.";
    figures.causes.title.textContent = view.lit ? `Causes: ${view.lit.name}` : "Communicators and calls";
    figures.causes.caption.textContent = "Choosing one lights its links and its rank pairs.";
    figures.spread.title.textContent = `How loads are spread in each class${looked}`;
    figures.spread.caption.textContent =
      "Links by their load; those without any are left out." +
      (view.lit ? " Coloured: those that what is chosen loads." : "") +
      " The bound: what must leave or enter a part of the fabric, or take shortest ways, shared out evenly among the links of the class there: with these places of the ranks no routes make the most loaded link carry less. " +
      data.captions.join(". ");
  }

  private looked(): string {
    const { communicator, procedure } = this.state;
    const sets = this.network.communicatorSets();
    const parts = [
      procedure >= 0 ? this.data.procedures[procedure] : "",
      sets.find(({ value }) => value === communicator)?.text.trim() ?? "",
    ];
    const told = parts.filter(Boolean).join(" of ");
    return told ? `: ${told}` : "";
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
    redraw(figures.chosen.body, chosenPart(view, choose));
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
