/** The fabric by its levels: hosts at the bottom, switches above, links coloured by their load. */
import { select } from "d3-selection";
import { zoom, type ZoomBehavior, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { dots } from "../ui/dots.ts";
import { HOT, stepOf, STEPS } from "../ui/colours.ts";
import { button, element, short } from "../ui/dom.ts";
import { hideTip, showTip } from "../ui/tip.ts";
import { countOf } from "../units.ts";
import { bundleFacts, nodeFacts } from "./facts.ts";
import type { Rail } from "./model.ts";
import type { Choice } from "./state.ts";
import { isHot, largest, linksOf, type View } from "./view.ts";

const LEFT = 78;
const RIGHT = 20;
const TOP = 34;
const BOWS = 150;
const BOTTOM = 30;
const NEAR = 6;
const HIDDEN = -2;
const UNLIT = -1;
const HOT_STEP = STEPS;
const FARTHEST = 400;
/** Milliseconds: drawing time of a picture that can be redrawn in each frame, and the pause that ends a movement. */
const QUICK = 9;
const REST = 120;

interface Spot {
  bundle: number;
  end: number;
}

export class LevelsDrawing {
  readonly canvas = element("canvas");
  private readonly over = element("canvas", [], "over");
  private readonly stage: HTMLElement;
  private readonly zoomer: ZoomBehavior<HTMLCanvasElement, unknown>;
  private transform: ZoomTransform = zoomIdentity;
  private view: View | null = null;
  private steps = new Int16Array(0);
  private order: number[][] = [];
  private waiting = 0;
  private resting = 0;
  /** The last sharp picture, its transform and the milliseconds it took. */
  private readonly kept = document.createElement("canvas");
  private painted: ZoomTransform = zoomIdentity;
  private cost = 0;
  private xs = new Float32Array(0);
  private readonly finder = element("input");
  private readonly names = element("datalist");
  /** Whether nothing was drawn over the lines since their size was set. */
  private clear = true;
  private width = 0;
  /** Room above the highest level, for links between its switches, too. */
  private top = TOP;
  private height = 0;

  constructor(
    parent: HTMLElement,
    private readonly choose: (choice: Choice) => void,
    extra: HTMLElement,
  ) {
    this.stage = element("div", [this.canvas, this.over], "stage");
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "img");
    this.zoomer = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, FARTHEST])
      .filter((event: MouseEvent) =>
        event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button,
      )
      .on("zoom", (event: { transform: ZoomTransform }) => {
        this.transform = event.transform;
        this.soon();
      });
    select(this.over).call(this.zoomer).on("dblclick.zoom", null);
    this.over.addEventListener("pointermove", (event) => {
      this.hover(event);
    });
    this.over.addEventListener("pointerleave", () => {
      hideTip();
      this.mark(null);
    });
    this.over.addEventListener("click", (event) => {
      this.chosen(this.spot(event));
    });
    this.over.addEventListener("keydown", (event) => {
      this.key(event);
    });
    parent.append(this.stage, this.buttons(extra));
  }

  private buttons(extra: HTMLElement): HTMLElement {
    const hint = element("span", "Ctrl and scroll to zoom, drag to move, click to select", "hint");
    const by = (factor: number) => () => {
      this.zoomer.scaleBy(select(this.over), factor);
    };
    const buttons = element(
      "div",
      [
        button("+", by(1.6), "zoom in"),
        button("−", by(1 / 1.6), "zoom out"),
        button("all", () => {
          this.whole();
        }),
      ],
      "choice",
    );
    return element("div", [buttons, extra, this.found(), hint], "under");
  }

  /** Chooses a switch or a host by its name, for users without a pointer, or with too many hosts. */
  private found(): HTMLElement {
    this.names.id = "names";
    this.finder.setAttribute("list", this.names.id);
    this.finder.placeholder = "switch or host";
    this.finder.addEventListener("input", () => {
      this.finder.setCustomValidity("");
    });
    this.finder.addEventListener("change", () => {
      const { rail } = this.view ?? {};
      const end = rail?.level.findIndex((_, one) => rail.name(one) === this.finder.value) ?? -1;
      if (end >= 0) this.chosen({ bundle: -1, end });
      else if (this.finder.value) {
        this.finder.setCustomValidity("The job uses no switch or host with this name.");
        this.finder.reportValidity();
      }
    });
    return element("label", [element("span", "find"), this.finder, this.names], "list");
  }

  private whole(): void {
    this.zoomer.transform(select(this.over), zoomIdentity);
  }

  private key(event: KeyboardEvent): void {
    const target = select(this.over);
    const step = this.width / 6 / this.transform.k;
    if (event.key === "+" || event.key === "=") this.zoomer.scaleBy(target, 1.6);
    else if (event.key === "-") this.zoomer.scaleBy(target, 1 / 1.6);
    else if (event.key === "0") this.whole();
    else if (event.key === "ArrowLeft") this.zoomer.translateBy(target, step, 0);
    else if (event.key === "ArrowRight") this.zoomer.translateBy(target, -step, 0);
    else return;
    event.preventDefault();
  }

  show(view: View): void {
    if (this.view?.rail !== view.rail) {
      this.transform = zoomIdentity;
      const options = Array.from(view.rail.level, (_, end) => {
        const option = element("option");
        option.value = view.rail.name(end);
        return option;
      });
      this.names.replaceChildren(...options);
    }
    this.view = view;
    const { bundles, level, levels } = view.rail;
    const across = bundles.some(({ low, high }) => level[low] === levels && level[high] === levels);
    this.top = across ? BOWS : TOP;
    this.classify(view);
    this.resize();
    const { rail } = view;
    this.over.setAttribute(
      "aria-label",
      `Drawing of ${rail.switches} switches ${rail.data.topology ? `of a ${rail.data.topology}` : `on ${rail.levels} levels`}` +
        ` and ${rail.ports} ports of hosts. The hottest` +
        " links are in the list next to it; the data has all of them.",
    );
    this.paint();
  }

  /** Sort the lines by their colours. */
  private classify(view: View): void {
    const { rail, lit, state } = view;
    const values = lit ? lit.links[state.rail] : view.values[state.rail];
    const most = lit ? lit.most[state.rail] : view.most;
    this.steps = new Int16Array(rail.bundles.length).fill(HIDDEN);
    this.order = Array.from({ length: HOT_STEP + 2 }, () => []);
    rail.bundles.forEach((bundle, place) => {
      const links = linksOf(view, bundle);
      const used = largest(links, view.values[state.rail]);
      const value = lit ? largest(links, values) : used;
      let step = HIDDEN;
      if (value > 0)
        step = !lit && links.some((link) => isHot(view, link)) ? HOT_STEP : stepOf(value, most, false);
      else if (used > 0 || state.unused) step = UNLIT;
      this.steps[place] = step;
      if (step !== HIDDEN) this.order[step + 1].push(place);
    });
  }

  private resize(): void {
    this.width = Math.max(200, this.stage.clientWidth);
    this.height = Math.max(330, Math.min(620, this.top + BOTTOM + 130 * (this.view?.rail.levels ?? 2)));
    const scale = dots();
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(this.height * scale);
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
    }
    this.clear = true;
    this.zoomer
      .extent([
        [0, 0],
        [this.width, this.height],
      ])
      .translateExtent([
        [0, 0],
        [this.width, this.height],
      ]);
  }

  /**
   * Draw in the next frame. If that takes long, first stretch the existing picture, and redraw it when the view rests.
   */
  private soon(): void {
    cancelAnimationFrame(this.waiting);
    window.clearTimeout(this.resting);
    if (this.cost < QUICK)
      this.waiting = requestAnimationFrame(() => {
        this.paint();
      });
    else {
      this.waiting = requestAnimationFrame(() => {
        this.stretch();
      });
      this.resting = window.setTimeout(() => {
        this.paint();
      }, REST);
    }
  }

  private stretch(): void {
    const context = this.canvas.getContext("2d");
    if (!this.view || !context) return;
    const { x, k } = this.painted;
    const wider = this.transform.k / k;
    const scale = dots();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.view.theme.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.drawImage(this.kept, this.transform.x - x * wider, 0, this.width * wider, this.height);
    this.rows(context, this.view);
    this.over.getContext("2d")?.clearRect(0, 0, this.over.width, this.over.height);
  }

  private x(place: number): number {
    return this.transform.x + this.transform.k * (LEFT + place * (this.width - LEFT - RIGHT));
  }

  private y(level: number): number {
    const levels = this.view?.rail.levels ?? 1;
    return this.height - BOTTOM - (level / Math.max(1, levels)) * (this.height - this.top - BOTTOM);
  }

  /** Put all ends to their present places. */
  private moved({ rail }: View): void {
    const { switches, ports } = rail.data;
    this.xs = new Float32Array(rail.level.length);
    for (let end = 0; end < this.xs.length; end++)
      this.xs[end] = this.x(end < rail.switches ? switches.x[end] : ports.x[end - rail.switches]);
  }

  private paint(): void {
    const view = this.view;
    const context = this.canvas.getContext("2d");
    if (!view || !context) return;
    const begin = performance.now();
    const { rail, theme } = view;
    this.moved(view);
    const scale = dots();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.lineCap = "butt";
    this.order.forEach((bundles, step) => {
      if (!bundles.length) return;
      context.strokeStyle = step === 0 ? theme.unlit : step - 1 === HOT_STEP ? HOT : theme.ramp[step - 1];
      for (const wide of [false, true]) {
        context.lineWidth = this.thickness(step - 1) * (wide ? 1.8 : 1);
        context.beginPath();
        for (const place of bundles) {
          const bundle = rail.bundles[place];
          if (bundle.up.length > 1 !== wide) continue;
          this.line(context, rail, place);
        }
        context.stroke();
      }
    });
    this.nodes(context, view);
    this.rows(context, view);
    this.mark(null);
    this.keep();
    this.cost = performance.now() - begin;
  }

  private keep(): void {
    this.kept.width = this.canvas.width;
    this.kept.height = this.canvas.height;
    this.kept.getContext("2d")?.drawImage(this.canvas, 0, 0);
    this.painted = this.transform;
  }

  private thickness(step: number): number {
    if (step === UNLIT) return 0.6;
    return step === HOT_STEP ? 1.8 : 0.7 + (0.8 * step) / STEPS;
  }

  private line(context: CanvasRenderingContext2D, rail: Rail, place: number): void {
    const { low, high } = rail.bundles[place];
    const [x1, x2] = [this.xs[low], this.xs[high]];
    if ((x1 < 0 && x2 < 0) || (x1 > this.width && x2 > this.width)) return;
    const [y1, y2] = [this.y(rail.level[low]), this.y(rail.level[high])];
    context.moveTo(x1, y1);
    if (y1 === y2) context.quadraticCurveTo((x1 + x2) / 2, y1 - 2 * this.bow(x1, x2, y1), x2, y2);
    else context.lineTo(x2, y2);
  }

  /** The height of a line between switches of one level. */
  private bow(x1: number, x2: number, y: number): number {
    return Math.min(y - 6, 8 + 0.25 * Math.abs(x2 - x1));
  }

  private nodes(context: CanvasRenderingContext2D, view: View): void {
    const { rail, theme } = view;
    const used = new Uint8Array(rail.switches + rail.ports);
    rail.bundles.forEach((bundle, place) => {
      if (this.steps[place] !== HIDDEN)
        used[bundle.low] = used[bundle.high] = this.steps[place] === UNLIT ? used[bundle.low] || 1 : 2;
    });
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    for (let level = 0; level <= rail.levels; level++) {
      const ends = rail.at[level];
      const spacing = ((this.width - LEFT - RIGHT) * this.transform.k) / Math.max(1, ends.length);
      const size = Math.max(1.5, Math.min(level ? 9 : 5, spacing * 0.7));
      const y = this.y(level);
      for (const end of ends) {
        const x = this.xs[end];
        if (x < -size || x > this.width + size) continue;
        context.fillStyle = used[end] ? theme.ink : theme.unlit;
        context.fillRect(x - size / 2, y - size / 2, size, size);
      }
      this.labels(context, view, level, y);
    }
  }

  /** Write names, as many as there is room for. */
  private labels(context: CanvasRenderingContext2D, view: View, level: number, y: number): void {
    const { rail, theme } = view;
    const line = level === 0 ? y + 15 : y - 15;
    const sorted = rail.at[level]
      .map((end) => ({ end, x: this.xs[end] }))
      .filter(({ x }) => x > LEFT - 20 && x < this.width)
      .sort((one, other) => one.x - other.x);
    context.textAlign = "center";
    let free = LEFT - 20;
    for (const { end, x } of sorted) {
      const text = short(rail.name(end), 22);
      const half = context.measureText(text).width / 2 + 4;
      if (x - half < free || x + half > this.width) continue;
      context.fillStyle = theme.paper;
      context.globalAlpha = 0.8;
      context.fillRect(x - half, line - 7, 2 * half, 13);
      context.globalAlpha = 1;
      context.fillStyle = theme.ink;
      context.fillText(text, x, line);
      free = x + half;
    }
  }

  /** Write the meaning of the rows at the left, over the moved picture. */
  private rows(context: CanvasRenderingContext2D, { rail, theme }: View): void {
    context.fillStyle = theme.paper;
    context.globalAlpha = 0.85;
    context.fillRect(0, 0, LEFT - 22, this.height);
    context.globalAlpha = 1;
    context.textAlign = "left";
    context.fillStyle = theme.faint;
    for (let level = 0; level <= rail.levels; level++) {
      const y = this.y(level);
      const count = rail.at[level].length;
      context.fillText(level ? `level ${level}` : "hosts", 0, y - 7);
      const counted = level ? countOf(count, "switch", "switches") : countOf(count, "port");
      context.fillText(counted, 0, y + 7, LEFT - 24);
    }
  }

  // ---- pointing -----------------------------------------------------------------------------------------------

  private spot(event: MouseEvent): Spot | null {
    const view = this.view;
    if (!view) return null;
    const box = this.over.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const { rail } = view;
    let best: Spot | null = null;
    let distance = NEAR;
    for (let end = 0; end < rail.level.length; end++) {
      const away = Math.hypot(this.xs[end] - x, this.y(rail.level[end]) - y);
      if (away < distance) [best, distance] = [{ bundle: -1, end }, away];
    }
    if (best) return best;
    rail.bundles.forEach((bundle, place) => {
      if (this.steps[place] === HIDDEN) return;
      const away = this.away(rail, bundle.low, bundle.high, x, y) - (this.steps[place] + 1) / STEPS;
      if (away < distance) [best, distance] = [{ bundle: place, end: -1 }, away];
    });
    return best;
  }

  private away(rail: Rail, low: number, high: number, x: number, y: number): number {
    const [x1, y1] = [this.xs[low], this.y(rail.level[low])];
    const [x2, y2] = [this.xs[high], this.y(rail.level[high])];
    if (y1 !== y2) return toSegment(x1, y1, x2, y2, x, y);
    const bow = this.bow(x1, x2, y1);
    let least = Infinity;
    let [fromX, fromY] = [x1, y1];
    for (let part = 1; part <= 12; part++) {
      const t = part / 12;
      const [toX, toY] = [x1 + t * (x2 - x1), y1 - 4 * t * (1 - t) * bow];
      least = Math.min(least, toSegment(fromX, fromY, toX, toY, x, y));
      [fromX, fromY] = [toX, toY];
    }
    return least;
  }

  private hover(event: PointerEvent): void {
    if (event.buttons || !this.view) {
      hideTip();
      return;
    }
    const found = this.spot(event);
    this.over.style.cursor = found ? "pointer" : "grab";
    this.mark(found);
    if (!found) hideTip();
    else {
      const facts = found.end >= 0 ? nodeFacts(this.view, found.end) : bundleFacts(this.view, found.bundle);
      showTip(facts, event.clientX, event.clientY);
    }
  }

  /** Draw the choice, and the item under the pointer, over the picture. */
  private mark(found: Spot | null): void {
    const view = this.view;
    const context = this.over.getContext("2d");
    if (!view || !context) return;
    const { rail, state } = view;
    const scale = dots();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    // If Chromium prints the drawing, clearing would remove the layers below, too.
    if (!this.clear) context.clearRect(0, 0, this.width, this.height);
    this.clear = false;
    const chosen =
      state.choice.kind === "links" && state.choice.rail === state.rail ? state.choice.links : [];
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--chosen");
    context.lineWidth = 3;
    context.beginPath();
    for (const link of chosen) this.line(context, rail, rail.bundleOf[link]);
    context.stroke();
    if (!found) return;
    context.strokeStyle = view.theme.accent;
    context.beginPath();
    if (found.bundle >= 0) this.line(context, rail, found.bundle);
    else context.arc(this.xs[found.end], this.y(rail.level[found.end]), 8, 0, 2 * Math.PI);
    context.stroke();
  }

  private chosen(found: Spot | null): void {
    const view = this.view;
    if (!view) return;
    const { rail, state } = view;
    if (!found) {
      this.choose({ kind: "none" });
      return;
    }
    const values = view.values[state.rail];
    const places = rail.bundles.filter((bundle) => bundle.low === found.end || bundle.high === found.end);
    const links =
      found.end >= 0
        ? places.flatMap((bundle) => linksOf(view, bundle)).filter((link) => values[link] > 0)
        : linksOf(view, rail.bundles[found.bundle])
            .sort((one, other) => values[other] - values[one])
            .slice(0, 1);
    this.choose(links.length ? { kind: "links", rail: state.rail, links } : { kind: "none" });
  }
}

function toSegment(x1: number, y1: number, x2: number, y2: number, x: number, y: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x1 + along * dx - x, y1 + along * dy - y);
}
