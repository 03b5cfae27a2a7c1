/** The page of a measurement: every figure shows the same view of it. */
import { choice, redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { type Figure, figure } from "../ui/figure.ts";
import { type Cell as Field, saveCsv } from "../ui/files.ts";
import { legend } from "../ui/legend.ts";
import { savePng, saveSvg } from "../ui/pictures.ts";
import { cellLines } from "./cell_lines.ts";
import { scaleOf } from "./colours.ts";
import type { ViewData } from "./contract.ts";
import { levelsFinding, mapFinding, nodesFinding, outliersFinding, pooledText } from "./facts.ts";
import { histogram, histogramLines, isLogarithmic, levelTable } from "./histogram.ts";
import { LatencyMap } from "./map.ts";
import { heights, MISSING, type Model } from "./model.ts";
import { nodeLines, nodesDrawing } from "./nodes.ts";
import { outlierLines, outlierTable } from "./outliers.ts";
import { pairCaption, pairLines, pairTable, pairText, pairTitle } from "./pair.ts";
import { fromAddress, type State, toAddress } from "./state.ts";
import { Surface } from "./surface.ts";

type Name = "map" | "levels" | "outliers" | "pair" | "nodes";

const ZOOM = 1.6;

export class LatencyPage {
  private state: State;
  private readonly figures: Record<Name, Figure>;
  private readonly title = element("h1");
  private readonly about = element("p", [], "about");
  private readonly nav = element("nav");
  private readonly scale = element("div", [], "legend");
  private readonly flat = element("div", [], "stage");
  private readonly tall = element("div");
  private readonly hint = element("span", [], "hint");
  private readonly copy = button("copy", () => void this.copied(), "copy the facts of the pair");
  private readonly map: LatencyMap;
  private readonly surface: Surface;
  private heights: Float32Array = new Float32Array();
  /** The measure of the heights. */
  private drawn = "";
  private missing = false;

  constructor(
    private readonly model: Model,
    private readonly parent: HTMLElement,
    toggle: HTMLElement,
  ) {
    this.state = fromAddress(window.location.hash, model);
    this.figures = this.madeFigures();
    this.place(toggle);
    this.map = new LatencyMap(this.flat, model, (chosen) => {
      this.change({ chosen });
    });
    this.surface = new Surface(this.tall, model);
    this.show();
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.change({ chosen: null });
    });
    window.addEventListener("hashchange", () => {
      this.state = fromAddress(window.location.hash, model);
      this.show();
    });
  }

  private get view(): ViewData {
    return this.model.data.views[this.state.view];
  }

  private madeFigures(): Record<Name, Figure> {
    const { model } = this;
    const { data } = model;
    const csv = (name: string, lines: () => Iterable<readonly Field[]>) => () => {
      saveCsv(name, lines());
    };
    const svg = (name: "levels" | "nodes") => () => {
      const { title, body } = this.figures[name];
      const drawing = body.querySelector("svg");
      const told = `${title.textContent} · ${this.title.textContent}`;
      if (drawing) saveSvg(name, [{ title: told, svg: drawing }]);
    };
    return {
      map: figure(
        "map",
        csv("pairs", () => cellLines(model, this.view, this.map.drawing.part)),
        () => {
          this.picture();
        },
      ),
      levels: figure(
        "levels",
        csv("levels", () => histogramLines(data, this.view)),
        svg("levels"),
      ),
      outliers: figure(
        "outliers",
        csv("outliers", () => outlierLines(data)),
        null,
      ),
      pair: figure(
        "pair",
        csv("pair", () => pairLines(model, this.view, this.state.chosen)),
        null,
      ),
      nodes: figure(
        "nodes",
        csv("nodes", () => nodeLines(this.view)),
        svg("nodes"),
      ),
    };
  }

  private place(toggle: HTMLElement): void {
    const { map, levels, outliers, pair, nodes } = this.figures;
    const { warnings } = this.model.data;
    const words: Node[] = [this.title, this.about];
    if (warnings.length) words.push(element("p", `Beware: ${warnings.join("; ")}`, "warnings"));
    const zoom = (text: string, act: () => void, label: string) => {
      const made = button(text, act, label);
      made.className = "plain";
      return made;
    };
    const by = (factor: number) => () => {
      (this.state.surface ? this.surface : this.map.drawing).zoomBy(factor);
    };
    const all = () => {
      (this.state.surface ? this.surface : this.map.drawing).zoomOut();
    };
    const under = element(
      "div",
      [
        zoom("+", by(ZOOM), "zoom in"),
        zoom("−", by(1 / ZOOM), "zoom out"),
        zoom("all", all, "show all"),
        this.hint,
      ],
      "under",
    );
    map.body.append(this.scale, this.flat, this.tall, under);
    this.copy.id = "pair-copy";
    pair.card.querySelector(".tools")?.prepend(this.copy);
    nodes.card.classList.add("wide");
    this.parent.replaceChildren(
      element("header", [element("div", [toggle], "tools"), element("div", words)]),
      this.nav,
      map.card,
      element("div", [levels.card, pair.card, outliers.card], "column"),
      nodes.card,
    );
  }

  private change(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    const address = toAddress(this.state, this.model);
    const bare = window.location.pathname + window.location.search;
    window.history.replaceState(null, "", address ? `#${address}` : bare);
    this.show();
  }

  show(): void {
    const { model, state, view, figures } = this;
    this.measure();
    this.texts();
    this.controls();
    redraw(this.scale, legend(scaleOf(view, state.logarithmic, this.missing)));
    this.flat.hidden = state.surface;
    this.tall.hidden = !state.surface;
    if (state.surface) this.surface.show(view, this.heights, state.logarithmic);
    else this.map.show(view, this.heights, state.chosen);
    const wide = (body: HTMLElement) => Math.max(220, body.clientWidth);
    redraw(figures.levels.body, [
      histogram(model.data, view, wide(figures.levels.body)),
      levelTable(model.data, view),
    ]);
    redraw(figures.nodes.body, [nodesDrawing(view, wide(figures.nodes.body), state.logarithmic)]);
    redraw(figures.outliers.body, [outlierTable(model.data)]);
    redraw(figures.pair.body, [pairTable(model, state.chosen)]);
  }

  /** For large matrices that takes a while: only when another view or scale is shown. */
  private measure(): void {
    const { view, state, model } = this;
    const wanted = `${state.view} ${String(state.logarithmic)}`;
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    this.heights = heights(view, state.logarithmic, model.size);
    this.missing = this.heights.includes(MISSING);
  }

  private controls(): void {
    const { model, state, view } = this;
    const { views } = model.data;
    const statistics = [...new Map(views.map((one) => [one.statistic, one.name]))];
    const sizes = [...new Map(views.map((one) => [one.size, one.sizeName]))];
    const go = (found: number) => {
      this.change({ view: found });
    };
    const parts: Node[] = [
      choice(
        "statistic",
        statistics.map(([value, text]) => ({ value, text })),
        view.statistic,
        (statistic) => {
          const same = model.find(statistic, view.size); // not every statistic is there for every size
          go(same >= 0 ? same : views.findLastIndex((one) => one.statistic === statistic));
        },
      ),
      choice(
        "size of messages",
        sizes.map(([value, text]) => ({
          value,
          text,
          missing:
            model.find(view.statistic, value) < 0 ? `No ${view.name} was measured with this size.` : "",
        })),
        view.size,
        (size) => {
          go(model.find(view.statistic, size));
        },
      ),
      choice(
        "shape",
        [
          { value: false, text: "Heat map" },
          { value: true, text: "Surface" },
        ],
        state.surface,
        (surface) => {
          this.change({ surface });
        },
      ),
      choice(
        "colours",
        [
          { value: true, text: "log" },
          { value: false, text: "linear" },
        ],
        state.logarithmic,
        (logarithmic) => {
          this.change({ logarithmic });
        },
      ),
    ];
    redraw(this.nav, parts);
  }

  private texts(): void {
    const { model, view, figures, state } = this;
    const { data } = model;
    const direction = view.smallest ? ", from row to column" : `, ${view.name}`;
    this.title.textContent = `${view.smallest ? "Bandwidth" : "Latency"} between all pairs: ${view.sizeName} messages${direction}`;
    const pooled = view.matrix.together > 1 ? [`each cell: ${pooledText(view)}`] : [];
    this.about.replaceChildren(
      ...[data.about[0], ...pooled, ...data.about.slice(1)].map((text) => element("span", text)),
    );
    this.hint.textContent = state.surface
      ? "drag turns it, Ctrl + wheel zooms, double click resets"
      : "drag moves, Ctrl + wheel zooms, Shift + drag zooms to a part, double click shows all";
    figures.map.title.textContent = mapFinding(model, view);
    figures.map.caption.textContent = this.mapCaption();
    figures.levels.title.textContent = levelsFinding(model, view);
    figures.levels.caption.textContent =
      "All pairs by the innermost level that contains both ranks. " +
      (isLogarithmic(view) ? "Both axes are logarithmic." : "The values are on a logarithmic axis.");
    figures.nodes.title.textContent = nodesFinding(model, view);
    figures.nodes.caption.textContent =
      "Dot: the median pair, bar: the worst one. A slow node has a high median; a slow link shows as a high worst pair at both its ends.".replaceAll(
        " high",
        view.smallest ? " low" : " high",
      );
    figures.outliers.title.textContent = outliersFinding(data.outliers.length, data.hierarchy);
    figures.outliers.caption.textContent = data.outliers.length
      ? "Measured: the median of the outlier; others: the median of its level."
      : "";
    figures.pair.title.textContent = pairTitle(model, view, state.chosen);
    figures.pair.caption.textContent = pairCaption(model, state.chosen);
    this.copy.disabled = !state.chosen;
    figures.pair.card.classList.toggle("idle", !state.chosen);
  }

  private mapCaption(): string {
    const { view, state, model } = this;
    const { rounding } = model.data;
    const way = view.smallest ? "From row to column. " : "";
    const scale = `Colours are ${state.logarithmic ? "logarithmic" : "linear"}, from blue (fast) to yellow (slow)`;
    const beyond = view.cut
      ? `; red is beyond the scale${state.surface ? ", and higher than drawn" : ""}`
      : "";
    const many = view.matrix.together > 1 ? ` Each cell: ${pooledText(view)}.` : "";
    const shape = state.surface
      ? " The slower a pair, the higher; of more than 96 rows, a step shows the worst of its pairs."
      : " Where a pixel has several cells, it shows the worst.";
    const kept = rounding
      ? ` Values are rounded to ${(100 * rounding).toFixed(2)} %, to keep the file small.`
      : "";
    return `${way}${scale}${beyond}.${many}${shape}${kept}`;
  }

  private picture(): void {
    const { title, caption } = this.figures.map;
    const show = () => {
      this.show();
    };
    savePng(this.state.surface ? "surface" : "heat-map", show, () => ({
      title: `${this.title.textContent} · ${title.textContent}`,
      scale: scaleOf(this.view, this.state.logarithmic, this.missing),
      parts: [{ title: "", canvas: this.state.surface ? this.surface.canvas : this.map.drawing.canvas }],
      caption: `${caption.textContent} ${this.model.data.about.join(" · ")}`,
    }));
  }

  private async copied(): Promise<void> {
    const { chosen } = this.state;
    if (!chosen) return;
    try {
      await navigator.clipboard.writeText(pairText(this.model, this.view, chosen));
      this.copy.textContent = "copied";
    } catch {
      this.copy.textContent = "not allowed here";
    }
    window.setTimeout(() => {
      this.copy.textContent = "copy";
    }, 2000);
  }
}
