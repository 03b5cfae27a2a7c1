/** The heat map. */
import { theme } from "../ui/colours.ts";
import { short } from "../ui/dom.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import type { Mark, Named, Rule } from "../ui/matrix_axes.ts";
import { digits } from "../units.ts";
import { colourOf } from "./colours.ts";
import type { Division, ViewData } from "./contract.ts";
import { facts } from "./facts.ts";
import { cellOf, isOwn, type Model, type Pair, pairAt, valueAt } from "./model.ts";

/** With more groups, there are no lines between them: they would cover the cells. */
const MOST_BLOCKS = 80;
/** Pixels that the name of a rank needs. */
const NAMED = 14;

export class LatencyMap {
  readonly drawing: MatrixDrawing;

  constructor(
    parent: HTMLElement,
    private readonly model: Model,
    private readonly choose: (pair: Pair) => void,
  ) {
    this.drawing = new MatrixDrawing(parent);
  }

  show(view: ViewData, heights: Float32Array, chosen: Pair | null): void {
    const framed = chosen && cellOf(view, chosen);
    const { model } = this;
    const { cells, together } = view.matrix;
    const name = (cell: number) => (together > 1 ? `${model.name(cell * together)} …` : model.name(cell));
    this.drawing.show(
      {
        label: `Matrix of ${cells} by ${cells} cells`,
        rows: cells,
        columns: cells,
        values: heights,
        lit: null,
        hot: null,
        logarithmic: false,
        most: 1,
        rowName: name,
        columnName: name,
        rowTitle: view.smallest ? "from" : "",
        columnTitle: view.smallest ? "to" : "",
        text: null,
        cellText: (cell) => {
          const at = { row: Math.floor(cell / cells), column: cell % cells };
          const value = valueAt(view, at);
          return Number.isNaN(value) || isOwn(view, at, model.size) ? "" : digits(value);
        },
        colour: colourOf(heights),
        marks: (pitch) => marks(model, together, pitch),
        groups: groups(model, together),
        rules: rules(model.data.divisions, together, model.size),
        facts: (row, column) => facts(model, view, { row, column }),
        choose: (row, column) => {
          this.choose(pairAt(view, { row, column }, model.size));
        },
        chosen: framed ? [framed.row, framed.column] : null,
        largest: 170,
        highest: Math.max(420, Math.min(900, window.innerHeight - 120)),
        square: true,
      },
      theme(),
    );
  }
}

function nodesOf(model: Model): Division | undefined {
  const { divisions } = model.data;
  return divisions.find((division) => division.name === "node") ?? divisions.at(-1);
}

/** Names of ranks if they have room, else of nodes. */
function marks(model: Model, together: number, pitch: number): Mark[] {
  const nodes = nodesOf(model);
  const places = Array.from({ length: model.size }, (_, place) => place);
  const mark = (start: number, stop: number, text: () => string) => ({
    at: (start + stop) / 2 / together,
    text,
  });
  if (pitch / together >= NAMED)
    return places.map((place) => mark(place, place + 1, () => model.name(place)));
  return nodes
    ? nodes.blocks.map(([start, stop, name]) => mark(start, stop, () => name))
    : places.map((place) => mark(place, place + 1, () => `rank ${model.data.ranks[place]}`));
}

/** The groups that are larger than nodes. */
function groups(model: Model, together: number): Named[] {
  const { divisions } = model.data;
  const nodes = divisions.findIndex((division) => division.name === "node");
  const larger = nodes > 0 ? divisions[nodes - 1].blocks : [];
  return larger.map(([start, stop, text]) => ({
    start: start / together,
    stop: stop / together,
    text: short(text, 40),
  }));
}

/** Lines between groups; for levels inside nodes only around their own pairs. */
function rules(divisions: readonly Division[], together: number, places: number): Rule[] {
  const nodes = divisions.find((division) => division.name === "node");
  return divisions
    .filter(({ blocks }) => blocks.length <= MOST_BLOCKS)
    .flatMap(({ blocks }) => {
      const inner = nodes && blocks.length > nodes.blocks.length;
      const width = blocks.length <= 4 ? 2 : blocks.length <= 16 ? 1.2 : 0.6;
      return blocks.slice(1).map(([start, stop], place) => ({
        at: start / together,
        from: inner ? blocks[place][0] / together : 0,
        to: (inner ? stop : places) / together,
        width,
      }));
    });
}
