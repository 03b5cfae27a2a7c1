/** A matrix of cells on a canvas: zoomed, moved, hovered over, and walked through with the arrow keys. */
import { select } from "d3-selection";
import { zoom, type ZoomBehavior, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { dots } from "./dots.ts";
import { inkOn, type Theme, unpacked } from "./colours.ts";
import { element, short } from "./dom.ts";
import { type Layer, layersOf } from "./layers.ts";
import { everyCell, LINE, namesAbove, rules, TITLE } from "./matrix_axes.ts";
import { coloursOf, paintCells, weightsOf } from "./matrix_cells.ts";
import type { MatrixData } from "./matrix_data.ts";
import { drawSums, SUMS } from "./sums.ts";
import { cellAt, rowOf, SparsePixels } from "./sparse.ts";
import { hideTip, showTip } from "./tip.ts";

/** Cells, from the first to the cell after the last. */
export interface Part {
  rows: [number, number];
  columns: [number, number];
}

const RIGHT = 10;

export class MatrixDrawing {
  readonly canvas = element("canvas");
  private readonly spoken = element("p", [], "unseen");
  private readonly zoomer: ZoomBehavior<HTMLCanvasElement, unknown>;
  private transform: ZoomTransform = zoomIdentity;
  private data: MatrixData | null = null;
  private theme: Theme | null = null;
  private box = { left: 0, top: 0, width: 1, height: 1 };
  private layers: Layer[] = [];
  private pixels: SparsePixels | null = null;
  private band: [x0: number, y0: number, x1: number, y1: number] | null = null;
  private cursor: [number, number] | null = null;
  private waiting = 0;

  constructor(private readonly parent: HTMLElement) {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.spoken.setAttribute("aria-live", "polite");
    parent.append(this.canvas, this.spoken);
    this.zoomer = zoom<HTMLCanvasElement, unknown>()
      .filter((event: MouseEvent) =>
        event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button && !event.shiftKey,
      )
      .on("zoom", (event: { transform: ZoomTransform }) => {
        this.transform = event.transform;
        cancelAnimationFrame(this.waiting);
        this.waiting = requestAnimationFrame(() => {
          this.paint();
        });
      });
    select(this.canvas).call(this.zoomer).on("dblclick.zoom", null);
    this.canvas.addEventListener("dblclick", () => {
      this.zoomOut();
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      if (!event.shiftKey || event.button) return;
      const [x, y] = this.pixelOf(event);
      this.band = [x, y, x, y];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", () => {
      if (this.band) this.zoomTo(this.band);
      this.band = null;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.band) {
        [this.band[2], this.band[3]] = this.pixelOf(event);
        this.paint();
      }
      const cell = event.buttons ? null : this.cellAt(event);
      const facts = cell && this.data ? this.data.facts(...cell) : null;
      showTip(facts, event.clientX, event.clientY);
      this.canvas.style.cursor = facts ? "pointer" : "default";
    });
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (event) => {
      const cell = event.shiftKey ? null : this.cellAt(event);
      if (cell && this.data?.facts(...cell)) this.data.choose(...cell);
    });
    this.canvas.addEventListener("blur", () => {
      this.cursor = null;
      this.paint();
    });
    this.canvas.addEventListener("keydown", (event) => {
      this.key(event);
    });
  }

  show(data: MatrixData, theme: Theme): void {
    if (this.data && (this.data.rows !== data.rows || this.data.columns !== data.columns)) {
      this.transform = zoomIdentity;
      this.cursor = null;
    }
    const colours = coloursOf(data, theme);
    this.pixels = data.sparse
      ? new SparsePixels(
          data.sparse,
          weightsOf(data),
          Uint32Array.from(data.values, (_, cell) => colours(cell)),
        )
      : null;
    if (data.sparse) this.layers = [];
    else if (this.data?.values !== data.values || this.data.lit !== data.lit)
      this.layers = layersOf(weightsOf(data), data.rows, data.columns);
    this.data = data;
    this.theme = theme;
    this.canvas.setAttribute(
      "aria-label",
      `${data.label}. The arrow keys move between cells, Enter selects one.`,
    );
    this.layout(data);
    this.paint();
  }

  /** Zoom around the current cell; around the middle without one. */
  zoomBy(factor: number): void {
    const at = this.cursor && this.middleOf(...this.cursor);
    this.zoomer.scaleBy(select(this.canvas), factor, at ?? undefined);
  }

  zoomOut(): void {
    this.zoomer.transform(select(this.canvas), zoomIdentity);
  }

  /** The cells that are on the screen, wholly or in part. */
  get part(): Part {
    const { left, top, width, height } = this.box;
    const span = (from: number, to: number, cells: number): [number, number] => [
      Math.max(0, Math.floor(from * cells + 1e-6)),
      Math.min(cells, Math.ceil(to * cells - 1e-6)),
    ];
    const x = (at: number) => (this.transform.invertX(at) - left) / width;
    const y = (at: number) => (this.transform.invertY(at) - top) / height;
    return {
      rows: span(y(top), y(top + height), this.data?.rows ?? 0),
      columns: span(x(left), x(left + width), this.data?.columns ?? 0),
    };
  }

  /** Zoom to a rectangle of the screen; ignore a tiny one. */
  private zoomTo([x0, y0, x1, y1]: [number, number, number, number]): void {
    const { left, top, width, height } = this.box;
    const [wide, high] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
    if (Math.max(wide, high) < 6) {
      this.paint();
      return;
    }
    const most = this.zoomer.scaleExtent()[1];
    const more = Math.min(width / Math.max(wide, 1), height / Math.max(high, 1));
    const scale = Math.min(most, this.transform.k * more);
    const x = this.transform.invertX((x0 + x1) / 2);
    const y = this.transform.invertY((y0 + y1) / 2);
    const target = zoomIdentity
      .translate(left + width / 2, top + height / 2)
      .scale(scale)
      .translate(-x, -y);
    this.zoomer.transform(
      select(this.canvas),
      this.zoomer.constrain()(
        target,
        [
          [left, top],
          [left + width, top + height],
        ],
        [
          [left, top],
          [left + width, top + height],
        ],
      ),
    );
  }

  private layout(data: MatrixData): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const width = Math.max(180, this.parent.clientWidth);
    context.font = this.font();
    const widest = (count: number, name: (place: number) => string) => {
      let most = 0;
      const step = Math.max(1, Math.ceil(count / 200));
      for (let place = 0; place < count; place += step)
        most = Math.max(most, context.measureText(short(name(place), 18)).width);
      return most;
    };
    const left = Math.ceil(TITLE + Math.min(120, widest(data.rows, data.rowName)) + 8);
    const bars = data.sums ? SUMS : 0;
    const names = Math.ceil(TITLE + Math.min(110, widest(data.columns, data.columnName)) + 8);
    const room = width - left - RIGHT - bars - (data.margins?.right ?? 0);
    const foot = 6 + (data.margins?.below ?? 0);
    const cell = Math.min(
      data.largest,
      room / data.columns,
      data.square ? data.highest / data.rows : Infinity,
    );
    const plot = cell * data.columns;
    const height = Math.max(40, Math.min(data.highest, (data.rowHeight ?? cell) * data.rows));
    // The title of few rows needs more room than they have.
    const lacks = Math.ceil(context.measureText(data.rowTitle).width) - height;
    const top = data.margins?.above ?? Math.max(names + bars, lacks);
    this.box = { left, top, width: plot, height };
    const scale = dots();
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round((top + height + foot) * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${top + height + foot}px`;
    this.zoomer
      .scaleExtent([1, Math.max(1, Math.max(data.rows, data.columns) / 4)])
      .extent([
        [left, top],
        [left + plot, top + height],
      ])
      .translateExtent([
        [left, top],
        [left + plot, top + height],
      ]);
  }

  private font(): string {
    return `11px ${getComputedStyle(document.body).fontFamily}`;
  }

  /** Where the lower end of a row or column is, in pixels. */
  private x(column: number): number {
    const { left, width } = this.box;
    return this.transform.applyX(left + (column / (this.data?.columns ?? 1)) * width);
  }

  private y(row: number): number {
    const { top, height } = this.box;
    return this.transform.applyY(top + (row / (this.data?.rows ?? 1)) * height);
  }

  private pixelOf(event: MouseEvent): [number, number] {
    const at = this.canvas.getBoundingClientRect();
    return [event.clientX - at.left, event.clientY - at.top];
  }

  private cellAt(event: MouseEvent): [number, number] | null {
    if (!this.data) return null;
    const [x, y] = this.pixelOf(event);
    const { left, top, width, height } = this.box;
    if (x < left || y < top || x >= left + width || y >= top + height) return null;
    if (this.data.sparse && this.pixels) {
      // Of several cells in a pixel, the visible one.
      const scale = dots();
      const shown = this.pixels.at(Math.floor((x - left) * scale), Math.floor((y - top) * scale));
      if (shown >= 0) return [rowOf(this.data.sparse, shown), this.data.sparse.column[shown]];
    }
    const column = Math.floor(((this.transform.invertX(x) - left) / width) * this.data.columns);
    const row = Math.floor(((this.transform.invertY(y) - top) / height) * this.data.rows);
    return row >= 0 && column >= 0 && row < this.data.rows && column < this.data.columns
      ? [row, column]
      : null;
  }

  private paint(): void {
    const { data, theme } = this;
    const context = this.canvas.getContext("2d");
    if (!data || !theme || !context) return;
    const scale = dots();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    paintCells(context, data, theme, {
      box: this.box,
      transform: this.transform,
      scale,
      layers: this.layers,
      sparse: this.pixels,
    });
    this.numbers(context, data, theme);
    const lines = data.rules ?? [];
    if (lines.length)
      this.inside(context, 0, () => {
        rules(
          context,
          lines,
          theme.paper,
          (column) => this.x(column),
          (row) => this.y(row),
        );
      });
    this.axes(context, data, theme);
    data.margins?.draw(context, { ...this.box, x: (at) => this.x(at), y: (at) => this.y(at) });
    this.frame(context, data.chosen, getComputedStyle(document.documentElement).getPropertyValue("--chosen"));
    this.frame(context, this.cursor, theme.accent);
    if (this.band) {
      const [x0, y0, x1, y1] = this.band;
      context.strokeStyle = theme.ink;
      context.lineWidth = 1.5;
      context.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  }

  private numbers(context: CanvasRenderingContext2D, data: MatrixData, theme: Theme): void {
    const [wide, high] = [this.x(1) - this.x(0), this.y(1) - this.y(0)];
    if ((!data.text && !data.cellText) || high < 15 || wide < 30) return;
    context.font = this.font();
    context.textAlign = "center";
    context.textBaseline = "middle";
    const colours = coloursOf(data, theme);
    this.visible((row, column) => {
      const cell = data.sparse ? cellAt(data.sparse, row, column) : row * data.columns + column;
      if (cell < 0) return;
      const value = data.lit ? data.lit[cell] : data.values[cell];
      const text = data.cellText?.(cell) ?? (value > 0 ? (data.text?.(value) ?? "") : "");
      if (!text || context.measureText(text).width > wide - 4) return;
      context.fillStyle = inkOn(unpacked(colours(cell)));
      context.fillText(text, this.x(column) + wide / 2, this.y(row) + high / 2);
    });
  }

  private visible(tell: (row: number, column: number) => void): void {
    const { rows, columns } = this.part;
    const { left, width } = this.box;
    for (let row = rows[0]; row < rows[1]; row++)
      for (let column = columns[0]; column < columns[1]; column++)
        if (this.x(column) >= left - 1 && this.x(column + 1) <= left + width + 1) tell(row, column);
  }

  private axes(context: CanvasRenderingContext2D, data: MatrixData, theme: Theme): void {
    const { left, top, width, height } = this.box;
    const bars = data.sums ? SUMS : 0;
    if (data.sums)
      drawSums(
        context,
        data.sums,
        this.box,
        (column) => this.x(column),
        (row) => this.y(row),
        theme.accent,
      );
    context.font = this.font();
    context.strokeStyle = theme.rule;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    context.textBaseline = "middle";
    context.fillStyle = theme.ink;
    context.textAlign = "right";
    let free = -Infinity;
    const cell = Math.min(this.x(1) - this.x(0), this.y(1) - this.y(0));
    const marks = data.marks?.(cell);
    for (const { at, text } of marks ?? everyCell(this.part.rows, data.rowName)) {
      const y = this.y(at);
      if (y < top || y > top + height || y < free) continue;
      context.fillText(short(text(), 18), left - 5, y, left - TITLE - 6);
      free = y + LINE;
    }
    free = -Infinity;
    context.textAlign = "left";
    for (const { at, text } of marks ?? everyCell(this.part.columns, data.columnName)) {
      const x = this.x(at);
      if (x < left || x > left + width || x < free) continue;
      turned(context, x, top - bars - 5, () => {
        context.fillText(short(text(), 18), 0, 0, top - bars - TITLE - 6);
      });
      free = x + LINE;
    }
    context.fillStyle = theme.faint;
    if (data.groups?.length)
      namesAbove(context, data.groups, [left, left + width], (column) => this.x(column));
    else context.fillText(data.columnTitle, left, 7, width);
    turned(context, 7, top + height, () => {
      context.fillText(data.rowTitle, 0, 0, top + height);
    });
  }

  /** Draw with nothing outside of the cells, and so many pixels around them. */
  private inside(context: CanvasRenderingContext2D, edge: number, draw: () => void): void {
    const { left, top, width, height } = this.box;
    context.save();
    context.beginPath();
    context.rect(left - edge, top - edge, width + 2 * edge, height + 2 * edge);
    context.clip();
    draw();
    context.restore();
  }

  private frame(context: CanvasRenderingContext2D, cell: [number, number] | null, colour: string): void {
    if (!cell) return;
    this.inside(context, 2, () => {
      context.strokeStyle = colour;
      context.lineWidth = 2;
      const all = cell[1] < 0;
      const [x, y] = [all ? this.box.left : this.x(cell[1]), this.y(cell[0])];
      const wide = all ? this.box.width : Math.max(4, this.x(cell[1] + 1) - x);
      const high = Math.max(4, this.y(cell[0] + 1) - y);
      context.strokeRect(x, y, wide, high);
    });
  }

  private key(event: KeyboardEvent): void {
    const { data } = this;
    if (!data) return;
    const [row, column] = (this.cursor ?? data.chosen ?? [0, 0]).map((place) => Math.max(0, place));
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (move) {
      const clamp = (value: number, end: number) => Math.max(0, Math.min(end - 1, value));
      const at = this.cursor ? move : [0, 0];
      this.cursor = [clamp(row + at[0], data.rows), clamp(column + at[1], data.columns)];
      this.reveal(...this.cursor);
      this.speak(...this.cursor);
      this.paint();
    } else if (event.key === "Enter" && this.cursor) data.choose(...this.cursor);
    else if (["+", "=", "-", "0"].includes(event.key)) {
      if (event.key === "0") this.zoomOut();
      else this.zoomBy(event.key === "-" ? 1 / 1.6 : 1.6);
      if (this.cursor) {
        this.reveal(...this.cursor);
        this.pointAt(...this.cursor);
      }
    } else return;
    event.preventDefault();
  }

  private middleOf(row: number, column: number): [number, number] {
    return [(this.x(column) + this.x(column + 1)) / 2, (this.y(row) + this.y(row + 1)) / 2];
  }

  /** Move the cells, so that one is on the picture. */
  private reveal(row: number, column: number): void {
    const { left, top, width, height } = this.box;
    const outside = (from: number, to: number, low: number, high: number) =>
      from < low ? low - from : Math.min(0, Math.max(high - to, low - from));
    const [x, y] = [
      outside(this.x(column), this.x(column + 1), left, left + width),
      outside(this.y(row), this.y(row + 1), top, top + height),
    ];
    const { k } = this.transform;
    if (Math.abs(x) > 0.5 || Math.abs(y) > 0.5) this.zoomer.translateBy(select(this.canvas), x / k, y / k);
  }

  private speak(row: number, column: number): void {
    const facts = this.data?.facts(row, column);
    const place = `${this.data?.rowName(row) ?? ""}, ${this.data?.columnName(column) ?? ""}`;
    this.spoken.textContent = facts
      ? `${facts.head}, ${facts.note}, ${facts.rows.map((cells) => cells.join(" ")).join(", ")}`
      : `${place}: nothing`;
    this.pointAt(row, column);
  }

  /** Show the facts of a cell next to it. */
  private pointAt(row: number, column: number): void {
    const { left, top, width, height } = this.box;
    const at = this.canvas.getBoundingClientRect();
    const x = Math.min(left + width, this.x(column + 1));
    const y = Math.min(top + height, this.y(row + 1));
    showTip(this.data?.facts(row, column) ?? null, at.left + x, at.top + y);
  }
}

function turned(context: CanvasRenderingContext2D, x: number, y: number, draw: () => void): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  draw();
  context.restore();
}
