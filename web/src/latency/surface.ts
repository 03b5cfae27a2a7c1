/** The matrix as steps in three dimensions: the slower a pair, the higher. Rotated by dragging and by keys. */
import { type Theme, theme } from "../ui/colours.ts";
import { element, short } from "../ui/dom.ts";
import { dots } from "../ui/dots.ts";
import { shade } from "./colours.ts";
import type { ViewData } from "./contract.ts";
import { END, heightBy, MISSING, type Model } from "./model.ts";
import { type Camera, type Point, Projection } from "./projection.ts";

/** Most rows; more of them hide each other. */
const MOST_CELLS = 96;
/** The height of values beyond the scale. */
const CAP = 1.06;
/** The light on the faces that look along columns, and along rows. */
const SIDES = [0.72, 0.86];
const START: Camera = { turn: -0.62, tilt: 0.72, zoom: 1 };
const MOST_NAMES = 12;

interface Steps {
  cells: number;
  /** Places of the matrix in a step. */
  together: number;
  heights: Float32Array;
}

export class Surface {
  readonly canvas = element("canvas");
  private camera = { ...START };
  private steps: Steps = { cells: 0, together: 1, heights: new Float32Array() };
  private view: ViewData | null = null;
  private logarithmic = true;
  private waiting = 0;

  constructor(
    private readonly parent: HTMLElement,
    private readonly model: Model,
  ) {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    parent.append(this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) this.turn(event.movementX / 180, event.movementY / 180);
    });
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY / 400));
      },
      { passive: false },
    );
    this.canvas.addEventListener("dblclick", () => {
      this.zoomOut();
    });
    this.canvas.addEventListener("keydown", (event) => {
      this.key(event);
    });
  }

  show(view: ViewData, heights: Float32Array, logarithmic: boolean): void {
    this.view = view;
    this.logarithmic = logarithmic;
    this.steps = stepsOf(view, heights);
    const { cells } = this.steps;
    this.canvas.setAttribute(
      "aria-label",
      `Surface of ${cells} by ${cells} steps. The arrow keys turn it, + and - zoom.`,
    );
    this.draw();
  }

  zoomBy(factor: number): void {
    this.camera.zoom = Math.max(0.5, Math.min(6, this.camera.zoom * factor));
    this.later();
  }

  zoomOut(): void {
    this.camera = { ...START };
    this.later();
  }

  private turn(right: number, down: number): void {
    this.camera.turn -= right;
    this.camera.tilt = Math.max(0.12, Math.min(Math.PI / 2, this.camera.tilt + down));
    this.later();
  }

  private later(): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => {
      this.draw();
    });
  }

  private key(event: KeyboardEvent): void {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const turn = turns[event.key as keyof typeof turns] as number[] | undefined;
    if (turn) this.turn(turn[0], turn[1]);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.3);
    else if (event.key === "-") this.zoomBy(1 / 1.3);
    else if (event.key === "0") this.zoomOut();
    else return;
    event.preventDefault();
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.view) return;
    const width = Math.max(180, this.parent.clientWidth);
    const height = Math.min(0.78 * width, Math.max(420, window.innerHeight - 120));
    const [scale, look] = [dots(), theme()];
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    context.scale(scale, scale);
    context.fillStyle = look.paper;
    context.fillRect(0, 0, width, height);
    const projection = new Projection(this.camera, this.steps.cells, width, height);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    this.scale(context, projection, look, this.view);
    drawSteps(context, projection, this.steps);
    this.names(context, projection, look);
  }

  /** Lines on the two far walls, at round values. */
  private scale(
    context: CanvasRenderingContext2D,
    projection: Projection,
    look: Theme,
    view: ViewData,
  ): void {
    const { cells } = projection;
    const [columns, rows] = projection.near;
    const [farColumn, farRow] = [columns ? 0 : cells, rows ? 0 : cells];
    const height = heightBy(view, this.logarithmic);
    const ends = [projection.at(farColumn, cells - farRow, 0), projection.at(cells - farColumn, farRow, 0)];
    context.strokeStyle = look.rule;
    context.lineWidth = 1;
    context.fillStyle = look.faint;
    const left = ends[0][0] < ends[1][0];
    const corner = (at: number): Point =>
      left ? projection.at(farColumn, cells - farRow, at) : projection.at(cells - farColumn, farRow, at);
    context.textAlign = "right";
    context.textBaseline = "middle";
    let free = Infinity;
    for (const [value, text] of view.ticks) {
      const at = height(value);
      const [x, y] = corner(at);
      line(context, [
        projection.at(farColumn, cells - farRow, at),
        projection.at(farColumn, farRow, at),
        projection.at(cells - farColumn, farRow, at),
      ]);
      if (y > free) continue;
      context.fillText(text, x - 6, y);
      free = y - 13;
    }
    const [x, y] = corner(1.13);
    context.fillText(view.unit, x - 6, y);
  }

  /** Names of nodes, or of ranks, along the two near edges. */
  private names(context: CanvasRenderingContext2D, projection: Projection, look: Theme): void {
    const { cells, camera } = projection;
    const [columns, rows] = projection.near;
    const named = this.named();
    context.fillStyle = look.faint;
    context.textBaseline = "top";
    // Texts left of the nearest corner end there, texts right of it begin there.
    const nearest = projection.at(columns ? cells : 0, rows ? cells : 0, 0);
    const write = (text: string, [x, y]: Point) => {
      context.textAlign = x < nearest[0] ? "right" : "left";
      context.fillText(short(text, 14), x + (x < nearest[0] ? -2 : 2), y + 4 + 3 * Math.sin(camera.tilt));
    };
    for (const [at, name] of named) {
      write(name, projection.at(at, rows ? cells : 0, 0));
      write(name, projection.at(columns ? cells : 0, at, 0));
    }
  }

  private named(): [at: number, name: string][] {
    const { data } = this.model;
    const nodes = data.divisions.find((division) => division.name === "node");
    const found: [number, string][] = nodes
      ? nodes.blocks.map(([start, stop, name]) => [(start + stop) / 2, name])
      : Array.from(data.ranks, (rank, place) => [place + 0.5, `rank ${rank}`]);
    const every = Math.ceil(found.length / MOST_NAMES);
    return found
      .filter((_, place) => place % every === 0)
      .map(([at, name]) => [at / this.steps.together, name]);
  }
}

/** Combine cells until they are few enough; each step is as high as the worst of its cells. */
function stepsOf(view: ViewData, heights: Float32Array): Steps {
  const { cells: fine, together } = view.matrix;
  const each = Math.ceil(fine / MOST_CELLS);
  const cells = Math.ceil(fine / each);
  const found = new Float32Array(cells * cells).fill(NaN);
  for (let row = 0; row < fine; row++)
    for (let column = 0; column < fine; column++) {
      const height = heights[row * fine + column];
      const at = Math.floor(row / each) * cells + Math.floor(column / each);
      if (height > found[at] || Number.isNaN(found[at])) found[at] = height;
    }
  return { cells, together: together * each, heights: found };
}

/** Draw from the back to the front, each step with its visible faces. */
function drawSteps(context: CanvasRenderingContext2D, projection: Projection, steps: Steps): void {
  const { cells, heights } = steps;
  const [columns, rows] = projection.near;
  const order = (near: boolean) => Array.from({ length: cells }, (_, i) => (near ? i : cells - 1 - i));
  const top = (row: number, column: number) => {
    if (row < 0 || column < 0 || row >= cells || column >= cells) return 0;
    const height = heights[row * cells + column];
    return height > END ? CAP : Math.max(0, height || 0); // a rank and itself: nothing
  };
  for (const row of order(rows))
    for (const column of order(columns)) {
      const height = heights[row * cells + column];
      if (height === MISSING) continue;
      const colour = shade(height || 0);
      const high = top(row, column);
      const [left, right, back, front] = [column, column + 1, row, row + 1];
      const side = columns ? right : left;
      const beside = top(row, column + (columns ? 1 : -1));
      const face = rows ? front : back;
      const before = top(row + (rows ? 1 : -1), column);
      if (beside < high)
        fill(context, colour, SIDES[0], [
          projection.at(side, back, high),
          projection.at(side, front, high),
          projection.at(side, front, beside),
          projection.at(side, back, beside),
        ]);
      if (before < high)
        fill(context, colour, SIDES[1], [
          projection.at(left, face, high),
          projection.at(right, face, high),
          projection.at(right, face, before),
          projection.at(left, face, before),
        ]);
      fill(context, colour, 1, [
        projection.at(left, back, high),
        projection.at(right, back, high),
        projection.at(right, front, high),
        projection.at(left, front, high),
      ]);
    }
}

function fill(
  context: CanvasRenderingContext2D,
  colour: readonly number[],
  light: number,
  points: readonly Point[],
): void {
  const shown = `rgb(${colour.map((part) => Math.round(part * light)).join(",")})`;
  trace(context, points);
  context.closePath();
  context.fillStyle = shown;
  context.fill();
  // Otherwise the paper shines through between faces.
  context.strokeStyle = shown;
  context.lineWidth = 0.6;
  context.stroke();
}

function line(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  trace(context, points);
  context.stroke();
}

function trace(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  context.beginPath();
  points.forEach(([x, y], place) => {
    if (place) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
}
