/** Upright bars side by side on a canvas, each made up of parts: hovered over, zoomed, walked through by keys. */
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, type ZoomBehavior, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { dots } from "./dots.ts";
import { type BarsData, highest, mean, peak } from "./bars_data.ts";
import type { Theme } from "./colours.ts";
import { element, short } from "./dom.ts";
import { hideTip, showTip } from "./tip.ts";

const [TOP, RIGHT, LINE, TICKS] = [8, 10, 15, 5];
const [GAP, WIDEST] = [0.18, 64];

export class BarsDrawing {
  readonly canvas = element("canvas");
  private readonly spoken = element("p", [], "unseen");
  private readonly zoomer: ZoomBehavior<HTMLCanvasElement, unknown>;
  private transform: ZoomTransform = zoomIdentity;
  private data: BarsData | null = null;
  private theme: Theme | null = null;
  private box = { left: 0, top: TOP, width: 1, height: 1 };
  private cursor: number | null = null;
  private waiting = 0;

  constructor(private readonly parent: HTMLElement) {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.spoken.setAttribute("aria-live", "polite");
    parent.append(this.canvas, this.spoken);
    this.zoomer = zoom<HTMLCanvasElement, unknown>()
      .filter((event: MouseEvent) =>
        event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button,
      )
      .on("zoom", (event: { transform: ZoomTransform }) => {
        this.transform = event.transform;
        cancelAnimationFrame(this.waiting);
        this.waiting = requestAnimationFrame(() => {
          this.paint();
        });
      });
    const { canvas } = this;
    select(canvas).call(this.zoomer).on("dblclick.zoom", null);
    canvas.addEventListener("dblclick", () => {
      this.zoomer.transform(select(canvas), zoomIdentity);
    });
    canvas.addEventListener("pointermove", (event) => {
      const bar = event.buttons ? null : this.barAt(event);
      showTip(bar === null || !this.data ? null : this.data.facts(bar), event.clientX, event.clientY);
      canvas.style.cursor = bar === null ? "default" : "pointer";
    });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("click", (event) => {
      const bar = this.barAt(event);
      if (bar !== null) this.data?.choose(bar);
    });
    canvas.addEventListener("blur", () => {
      this.cursor = null;
      hideTip();
      this.paint();
    });
    canvas.addEventListener("keydown", (event) => {
      this.key(event);
    });
  }

  show(data: BarsData, theme: Theme): void {
    if (this.data && this.data.count !== data.count) {
      this.transform = zoomIdentity;
      this.cursor = null;
    }
    this.data = data;
    this.theme = theme;
    this.canvas.setAttribute(
      "aria-label",
      `${data.label}. The arrow keys move between bars, Enter selects one.`,
    );
    this.paint();
  }

  /** Whether several bars share a pixel. */
  get pooled(): boolean {
    return !!this.data && this.box.width * this.transform.k < this.data.count;
  }

  private paint(): void {
    const { data, theme, canvas, box } = this;
    const context = canvas.getContext("2d");
    if (!data || !theme || !context) return;
    const width = Math.max(180, this.parent.clientWidth);
    const foot = LINE * (data.groups.length > 1 ? 3 : 2) + 3;
    const scale = dots();
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(data.height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${data.height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, data.height);
    const [lowest, highest] = [-peak(data.down, data.count), peak(data.up, data.count, data.mark)];
    const y = scaleLinear([lowest, highest || (lowest ? 0 : 1)], [data.height - foot, TOP]).nice(TICKS);
    const ticks = y.ticks(TICKS);
    const wide = Math.max(...ticks.map((tick) => context.measureText(data.text(Math.abs(tick))).width));
    box.left = wide + 10;
    box.width = Math.min(width - box.left - RIGHT, WIDEST * data.count);
    box.height = data.height - foot - TOP;
    const ends: [[number, number], [number, number]] = [
      [box.left, TOP],
      [box.left + box.width, TOP + box.height],
    ];
    this.zoomer
      .scaleExtent([1, Math.max(1, (WIDEST * data.count) / box.width / 2)])
      .extent(ends)
      .translateExtent(ends);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticks) {
      context.fillStyle = theme.faint;
      context.fillText(tick ? data.text(Math.abs(tick)) : "0", box.left - 6, y(tick));
      context.fillStyle = theme.rule;
      context.fillRect(box.left, Math.round(y(tick)), box.width, tick ? 0.5 : 1);
    }
    context.save();
    context.beginPath();
    context.rect(box.left, 0, box.width, data.height);
    context.clip();
    this.bars(context, data, theme, y);
    context.restore();
    this.names(context, data, theme);
    this.frame(context, theme);
  }

  private bars(
    context: CanvasRenderingContext2D,
    data: BarsData,
    theme: Theme,
    y: (value: number) => number,
  ): void {
    const zero = y(0);
    for (const { first, after, left, width } of this.stretches(data)) {
      const several = after - first > 1;
      for (const [series, way] of [
        [data.up, 1],
        [data.down, -1],
      ] as const) {
        let reached = 0;
        for (const { colour, values } of series) {
          const value = mean(values, first, after);
          context.fillStyle = colour;
          const [from, to] = [y(way * reached), y(way * (reached + value))];
          context.fillRect(left, Math.min(from, to), width, Math.abs(to - from));
          reached += value;
        }
        if (several && series.length) {
          context.fillStyle = theme.ink;
          context.fillRect(left, y(way * highest(series[0].values, first, after)) - 0.5, width, 1);
        }
      }
      if (data.mark) {
        context.fillStyle = theme.ink;
        context.fillRect(left, y(mean(data.mark.values, first, after)) - 1, width, 2);
      }
    }
    context.fillStyle = theme.faint;
    context.fillRect(this.box.left, Math.round(zero), this.box.width, data.down.length ? 1 : 0.5);
  }

  /** The visible bars; bars that share a pixel are one stretch. */
  private *stretches(
    data: BarsData,
  ): Generator<{ first: number; after: number; left: number; width: number }> {
    const { left, width } = this.box;
    const pitch = (width * this.transform.k) / data.count;
    if (pitch >= 1) {
      const gap = pitch > 4 ? pitch * GAP : 0;
      for (let bar = 0; bar < data.count; bar++) {
        const x = this.x(bar);
        if (x + pitch >= left && x <= left + width)
          yield { first: bar, after: bar + 1, left: x + gap / 2, width: pitch - gap + (gap ? 0 : 0.3) };
      }
      return;
    }
    for (let pixel = Math.floor(left); pixel < left + width; pixel++) {
      const [first, after] = this.under(pixel, data.count);
      if (first < after) yield { first, after, left: pixel, width: 1 };
    }
  }

  /** The first bar of a pixel, and the bar after its last. */
  private under(pixel: number, count: number): [number, number] {
    const bar = (at: number) =>
      Math.ceil(((this.transform.invertX(at) - this.box.left) / this.box.width) * count - 1e-6);
    return [Math.max(0, bar(pixel)), Math.min(count, bar(pixel + 1))];
  }

  private names(context: CanvasRenderingContext2D, data: BarsData, theme: Theme): void {
    const { left, width, top, height } = this.box;
    const line = top + height + LINE / 2 + 5;
    context.textAlign = "center";
    context.fillStyle = theme.ink;
    const widest = Math.max(
      ...Array.from({ length: Math.min(data.count, 64) }, (_, place) => {
        const bar = Math.floor((place * data.count) / Math.min(data.count, 64));
        return context.measureText(data.name(bar)).width;
      }),
    );
    const step = evenStep(((widest + 12) * data.count) / (width * this.transform.k));
    for (let bar = 0; bar < data.count; bar += step) {
      const x = (this.x(bar) + this.x(bar + 1)) / 2;
      const half = context.measureText(data.name(bar)).width / 2;
      if (x >= left && x + half <= left + width + RIGHT) context.fillText(data.name(bar), x, line);
    }
    if (data.groups.length > 1) this.groups(context, data, theme, line + LINE);
    context.fillStyle = theme.faint;
    context.textAlign = "left";
    context.fillText(data.title, left, data.height - LINE / 2, width);
  }

  private groups(context: CanvasRenderingContext2D, data: BarsData, theme: Theme, line: number): void {
    const { left, width, top, height } = this.box;
    data.groups.forEach(({ first, name }, place) => {
      const from = Math.max(left, this.x(first));
      const to = Math.min(left + width, this.x(data.groups.at(place + 1)?.first ?? data.count));
      if (to - from < 3) return;
      context.fillStyle = theme.faint;
      if (place && from > left) context.fillRect(from - 0.5, top, 1, height + 2 * LINE);
      const text = short(name, 18);
      if (context.measureText(text).width < to - from - 4) context.fillText(text, (from + to) / 2, line);
    });
  }

  private frame(context: CanvasRenderingContext2D, theme: Theme): void {
    if (this.cursor === null) return;
    const { left, width, top, height } = this.box;
    const [from, to] = [this.x(this.cursor), this.x(this.cursor + 1)];
    if (to < left || from > left + width) return;
    context.strokeStyle = theme.accent;
    context.lineWidth = 2;
    context.strokeRect(from - 1, top - 1, Math.max(2, to - from) + 2, height + 2);
  }

  private x(bar: number): number {
    return this.transform.applyX(this.box.left + (bar / (this.data?.count ?? 1)) * this.box.width);
  }

  /** The bar at a place; if several share a pixel, the bar with the largest first part. */
  private barAt(event: MouseEvent): number | null {
    const { data } = this;
    if (!data) return null;
    const at = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - at.left, event.clientY - at.top];
    const { left, top, width, height } = this.box;
    if (x < left || x >= left + width || y < top || y > top + height + LINE) return null;
    if (!this.pooled) return Math.floor(((this.transform.invertX(x) - left) / width) * data.count);
    const [first, after] = this.under(Math.floor(x), data.count);
    if (first >= after) return null;
    const values = (data.up.at(0) ?? data.down.at(0))?.values;
    let best = first;
    for (let bar = first; bar < after; bar++) if (values && values[bar] > values[best]) best = bar;
    return best;
  }

  private key(event: KeyboardEvent): void {
    const { data } = this;
    if (!data?.count) return;
    const target = select(this.canvas);
    const last = data.count - 1;
    const next = {
      ArrowLeft: Math.max(0, (this.cursor ?? 1) - 1),
      ArrowRight: Math.min(last, (this.cursor ?? -1) + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (next !== undefined) this.walk(data, next);
    else if (event.key === "Enter" && this.cursor !== null) data.choose(this.cursor);
    else if (event.key === "+" || event.key === "=") this.zoomer.scaleBy(target, 1.6);
    else if (event.key === "-") this.zoomer.scaleBy(target, 1 / 1.6);
    else if (event.key === "0") this.zoomer.transform(target, zoomIdentity);
    else return;
    event.preventDefault();
  }

  private walk(data: BarsData, bar: number): void {
    this.cursor = bar;
    const { left, width, top } = this.box;
    const x = this.x(bar + 0.5);
    if (x < left || x > left + width)
      this.zoomer.translateTo(select(this.canvas), left + ((bar + 0.5) / data.count) * width, top);
    const facts = data.facts(bar);
    this.spoken.textContent = [facts.head, facts.note, ...facts.rows.map((cells) => cells.join(" "))].join(
      ", ",
    );
    this.paint();
    const at = this.canvas.getBoundingClientRect();
    showTip(facts, at.left + this.x(bar + 1), at.top + top + 20);
  }
}

/** Return the least of 1, 2, 5, 10, 20, ... that is not below. */
function evenStep(least: number): number {
  let power = 1;
  while (power * 10 < least) power *= 10;
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
}
