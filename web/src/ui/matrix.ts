/** A matrix of cells on a canvas: zoomed, moved, hovered over, and walked through with the arrow keys. */
import { select } from "d3-selection";
import { zoom, type ZoomBehavior, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { dots } from "./dots.ts";
import { HOT, parts, stepOf, type Theme } from "./colours.ts";
import { element, short } from "./dom.ts";
import { type Facts, hideTip, showTip } from "./tip.ts";

export interface MatrixData {
  label: string;
  rows: number;
  columns: number;
  /** Row by row; NaN: there is nothing; 0: nothing was sent. */
  values: Float32Array;
  /** What of them is lit; null: all. */
  lit: Float32Array | null;
  hot: Uint8Array | null;
  logarithmic: boolean;
  most: number;
  rowName: (row: number) => string;
  columnName: (column: number) => string;
  rowTitle: string;
  columnTitle: string;
  text: ((value: number) => string) | null;
  facts: (row: number, column: number) => Facts | null;
  choose: (row: number, column: number) => void;
  /** A column below 0: all of the row. */
  chosen: [row: number, column: number] | null;
  /** Most pixels of a cell. */
  largest: number;
  highest: number;
  /** Cells are as high as they are wide. */
  square: boolean;
  /** Most pixels of a row, where it may be higher than a column is wide. */
  rowHeight?: number;
  margins?: Margins;
}

/** What is drawn around the cells, where columns have no names; it follows when they are moved. */
export interface Margins {
  /** Pixels. */
  above: number;
  below: number;
  right: number;
  draw: (context: CanvasRenderingContext2D, place: Place) => void;
}

/** Where the cells are, in pixels. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
  x: (column: number) => number;
  y: (row: number) => number;
}

const RIGHT = 10;
const TITLE = 16;
const LINE = 13;

export class MatrixDrawing {
  readonly canvas = element("canvas");
  private readonly spoken = element("p", [], "unseen");
  private readonly zoomer: ZoomBehavior<HTMLCanvasElement, unknown>;
  private transform: ZoomTransform = zoomIdentity;
  private data: MatrixData | null = null;
  private theme: Theme | null = null;
  private box = { left: 0, top: 0, width: 1, height: 1 };
  private cursor: [number, number] | null = null;
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
    select(this.canvas).call(this.zoomer).on("dblclick.zoom", null);
    this.canvas.addEventListener("dblclick", () => {
      this.zoomer.transform(select(this.canvas), zoomIdentity);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const cell = event.buttons ? null : this.cellAt(event);
      const facts = cell && this.data ? this.data.facts(...cell) : null;
      showTip(facts, event.clientX, event.clientY);
      this.canvas.style.cursor = facts ? "pointer" : "default";
    });
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
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
    this.data = data;
    this.theme = theme;
    this.canvas.setAttribute(
      "aria-label",
      `${data.label}. The arrow keys go from cell to cell, Enter chooses one.`,
    );
    this.layout(data);
    this.paint();
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
    const left = TITLE + Math.min(120, widest(data.rows, data.rowName)) + 8;
    const top = data.margins?.above ?? TITLE + Math.min(110, widest(data.columns, data.columnName)) + 8;
    const room = width - left - RIGHT - (data.margins?.right ?? 0);
    const foot = 6 + (data.margins?.below ?? 0);
    const cell = Math.min(
      data.largest,
      room / data.columns,
      data.square ? data.highest / data.rows : Infinity,
    );
    const plot = cell * data.columns;
    const height = Math.max(40, Math.min(data.highest, (data.rowHeight ?? cell) * data.rows));
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

  private cellAt(event: MouseEvent): [number, number] | null {
    if (!this.data) return null;
    const at = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - at.left, event.clientY - at.top];
    const { left, top, width, height } = this.box;
    if (x < left || y < top || x >= left + width || y >= top + height) return null;
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
    this.cells(context, data, theme, scale);
    this.numbers(context, data, theme);
    this.axes(context, data, theme);
    data.margins?.draw(context, { ...this.box, x: (at) => this.x(at), y: (at) => this.y(at) });
    this.frame(context, data.chosen, getComputedStyle(document.documentElement).getPropertyValue("--chosen"));
    this.frame(context, this.cursor, theme.accent);
  }

  /** Fill the pixels; where a pixel has several cells it shows the largest. */
  private cells(context: CanvasRenderingContext2D, data: MatrixData, theme: Theme, scale: number): void {
    const width = Math.round(this.box.width * scale);
    const height = Math.round(this.box.height * scale);
    const left = Math.round(this.box.left * scale);
    const top = Math.round(this.box.top * scale);
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const colours = coloursOf(data, theme);
    const columns = spans(
      width,
      data.columns,
      (pixel) => (this.transform.invertX((left + pixel) / scale) - this.box.left) / this.box.width,
    );
    const rows = spans(
      height,
      data.rows,
      (pixel) => (this.transform.invertY((top + pixel) / scale) - this.box.top) / this.box.height,
    );
    for (let y = 0; y < height; y++) {
      if (y && rows[2 * y] === rows[2 * y - 2] && rows[2 * y + 1] === rows[2 * y - 1]) {
        pixels.copyWithin(y * width, (y - 1) * width, y * width);
        continue;
      }
      for (let x = 0; x < width; x++) {
        let best = -1;
        let most = -1;
        for (let row = rows[2 * y]; row < rows[2 * y + 1]; row++)
          for (let column = columns[2 * x]; column < columns[2 * x + 1]; column++) {
            const cell = row * data.columns + column;
            const value = data.lit ? data.lit[cell] + 1e-9 * data.values[cell] : data.values[cell];
            if (value > most) [best, most] = [cell, value];
          }
        if (best >= 0) pixels[y * width + x] = colours(best);
      }
    }
    context.putImageData(image, left, top);
  }

  private numbers(context: CanvasRenderingContext2D, data: MatrixData, theme: Theme): void {
    const [wide, high] = [this.x(1) - this.x(0), this.y(1) - this.y(0)];
    if (!data.text || high < 15 || wide < 30) return;
    context.font = this.font();
    context.textAlign = "center";
    context.textBaseline = "middle";
    this.visible((row, column) => {
      const cell = row * data.columns + column;
      const value = data.lit ? data.lit[cell] : data.values[cell];
      const text = value > 0 ? (data.text?.(value) ?? "") : "";
      if (!text || context.measureText(text).width > wide - 4) return;
      const [red, green, blue] = data.hot?.[cell]
        ? parts(HOT)
        : theme.ramp3[stepOf(value, data.most, data.logarithmic)];
      context.fillStyle = 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#1f2933" : "#ffffff";
      context.fillText(text, this.x(column) + wide / 2, this.y(row) + high / 2);
    });
  }

  private visible(tell: (row: number, column: number) => void): void {
    const { data } = this;
    if (!data) return;
    const { left, top, width, height } = this.box;
    for (let row = 0; row < data.rows; row++) {
      if (this.y(row + 1) <= top || this.y(row) >= top + height) continue;
      for (let column = 0; column < data.columns; column++)
        if (this.x(column) >= left - 1 && this.x(column + 1) <= left + width + 1) tell(row, column);
    }
  }

  private axes(context: CanvasRenderingContext2D, data: MatrixData, theme: Theme): void {
    const { left, top, width, height } = this.box;
    context.font = this.font();
    context.strokeStyle = theme.rule;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    context.textBaseline = "middle";
    context.fillStyle = theme.ink;
    context.textAlign = "right";
    let free = -Infinity;
    for (let row = 0; row < data.rows; row++) {
      const y = (this.y(row) + this.y(row + 1)) / 2;
      if (y < top || y > top + height || y < free) continue;
      context.fillText(short(data.rowName(row), 18), left - 5, y, left - TITLE - 6);
      free = y + LINE;
    }
    free = -Infinity;
    context.textAlign = "left";
    for (let column = 0; column < data.columns; column++) {
      const x = (this.x(column) + this.x(column + 1)) / 2;
      if (x < left || x > left + width || x < free) continue;
      turned(context, x, top - 5, () => {
        context.fillText(short(data.columnName(column), 18), 0, 0, top - TITLE - 6);
      });
      free = x + LINE;
    }
    context.fillStyle = theme.faint;
    context.fillText(data.columnTitle, left, 7, width);
    turned(context, 7, top + height, () => {
      context.fillText(data.rowTitle, 0, 0, height);
    });
  }

  private frame(context: CanvasRenderingContext2D, cell: [number, number] | null, colour: string): void {
    if (!cell) return;
    const { left, top, width, height } = this.box;
    context.save();
    context.beginPath();
    context.rect(left - 2, top - 2, width + 4, height + 4);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 2;
    const all = cell[1] < 0;
    const [x, y] = [all ? left : this.x(cell[1]), this.y(cell[0])];
    const wide = all ? width : Math.max(4, this.x(cell[1] + 1) - x);
    const high = Math.max(4, this.y(cell[0] + 1) - y);
    context.strokeRect(x, y, wide, high);
    context.restore();
  }

  private key(event: KeyboardEvent): void {
    const { data } = this;
    if (!data) return;
    const [row, column] = (this.cursor ?? data.chosen ?? [0, 0]).map((place) => Math.max(0, place));
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const target = select(this.canvas);
    if (move) {
      const clamp = (value: number, end: number) => Math.max(0, Math.min(end - 1, value));
      const at = this.cursor ? move : [0, 0];
      this.cursor = [clamp(row + at[0], data.rows), clamp(column + at[1], data.columns)];
      this.speak(...this.cursor);
      this.paint();
    } else if (event.key === "Enter" && this.cursor) data.choose(...this.cursor);
    else if (event.key === "+" || event.key === "=") this.zoomer.scaleBy(target, 1.6);
    else if (event.key === "-") this.zoomer.scaleBy(target, 1 / 1.6);
    else if (event.key === "0") this.zoomer.transform(target, zoomIdentity);
    else return;
    event.preventDefault();
  }

  private speak(row: number, column: number): void {
    const facts = this.data?.facts(row, column);
    const place = `${this.data?.rowName(row) ?? ""}, ${this.data?.columnName(column) ?? ""}`;
    this.spoken.textContent = facts
      ? `${facts.head}, ${facts.note}, ${facts.rows.map((cells) => cells.join(" ")).join(", ")}`
      : `${place}: nothing`;
    const at = this.canvas.getBoundingClientRect();
    showTip(facts ?? null, at.left + this.x(column + 1), at.top + this.y(row + 1));
  }
}

function turned(context: CanvasRenderingContext2D, x: number, y: number, draw: () => void): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  draw();
  context.restore();
}

/** Return the first cell of each pixel and the one after the last. */
function spans(pixels: number, cells: number, share: (pixel: number) => number): Int32Array {
  const found = new Int32Array(2 * pixels);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const first = Math.max(0, Math.min(cells - 1, Math.floor(share(pixel) * cells + 1e-6)));
    const after = Math.min(cells, Math.floor(share(pixel + 1) * cells + 1e-6));
    found[2 * pixel] = first;
    found[2 * pixel + 1] = Math.max(first + 1, after);
  }
  return found;
}

/** Return a function that gives the pixel of a cell, as it is in memory. */
function coloursOf(data: MatrixData, theme: Theme): (cell: number) => number {
  const packed = ([red, green, blue]: [number, number, number]) =>
    ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  const ramp = theme.ramp3.map(packed);
  const [unlit, ground, hot] = [theme.unlit, theme.ground, HOT].map((colour) => packed(parts(colour)));
  return (cell) => {
    const value = data.values[cell];
    if (Number.isNaN(value)) return 0;
    if (value <= 0) return ground;
    if (data.lit)
      return data.lit[cell] > 0 ? ramp[stepOf(data.lit[cell], data.most, data.logarithmic)] : unlit;
    return data.hot?.[cell] ? hot : ramp[stepOf(value, data.most, data.logarithmic)];
  };
}
