/** Two neighbouring levels as matrices, one for each direction: no link can hide another one. */
import { element } from "../ui/dom.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import { bundleFacts } from "./facts.ts";
import type { Bundle, Rail } from "./model.ts";
import type { Choice } from "./state.ts";
import { isHot, largest, type View } from "./view.ts";

/** Columns; wider matrices are placed one below the other. */
const MOST_BESIDE = 40;

/** The pairs of levels between which a rail has links: the lower level, and the higher one. */
export function levelPairs(rail: Rail): [low: number, high: number][] {
  const found = new Map<string, [number, number]>();
  for (const { low, high } of rail.bundles) {
    const pair: [number, number] = [rail.level[low], rail.level[high]];
    if (pair[0] > 0) found.set(pair.join(), pair);
  }
  return [...found.values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

/** The two levels that are shown; null: no link is between switches. */
export function pairOf(view: View): [low: number, high: number] | null {
  const pairs = levelPairs(view.rail);
  return pairs.find(([low]) => low === view.state.level) ?? pairs.at(0) ?? null;
}

export class LevelMatrices {
  private readonly up: MatrixDrawing;
  private readonly down: MatrixDrawing;
  private readonly heads: HTMLElement[];
  private readonly both: HTMLElement;

  constructor(
    parent: HTMLElement,
    private readonly choose: (choice: Choice) => void,
  ) {
    const [left, right] = [element("div"), element("div")];
    this.heads = [element("h3"), element("h3")];
    left.append(this.heads[0]);
    right.append(this.heads[1]);
    this.up = new MatrixDrawing(left);
    this.down = new MatrixDrawing(right);
    this.both = element("div", [left, right]);
    parent.append(this.both);
  }

  get parts(): { title: string; canvas: HTMLCanvasElement }[] {
    return [this.up, this.down].map(({ canvas }, place) => ({
      title: this.heads[place].textContent,
      canvas,
    }));
  }

  show(view: View, [low, high]: [number, number]): void {
    const { rail } = view;
    const byX = (end: number) => rail.data.switches.x[end];
    const rows = [...rail.at[low]].sort((one, other) => byX(one) - byX(other));
    const columns = [...rail.at[high]].sort((one, other) => byX(one) - byX(other));
    this.both.className = columns.length > MOST_BESIDE ? "stack" : "pair";
    const across = low === high;
    this.heads[0].textContent = across ? "From the switch that comes first" : `Up: level ${low} to ${high}`;
    this.heads[1].textContent = across ? "And back" : `Down: level ${high} to ${low}`;
    this.draw(view, this.up, rows, columns, "up");
    this.draw(view, this.down, rows, columns, "down");
  }

  private draw(
    view: View,
    drawing: MatrixDrawing,
    rows: number[],
    columns: number[],
    way: "up" | "down",
  ): void {
    const { rail, state } = view;
    const placeOf = new Map(columns.map((end, place) => [end, place]));
    const rowOf = new Map(rows.map((end, place) => [end, place]));
    const size = rows.length * columns.length;
    const values = new Float32Array(size).fill(NaN);
    const lit = view.lit ? new Float32Array(size) : null;
    const hot = new Uint8Array(size);
    const bundleAt = new Map<number, number>();
    let chosen: [number, number] | null = null;
    const most = view.lit ? view.lit.most[state.rail] : view.most;
    rail.bundles.forEach((bundle: Bundle, place) => {
      const [row, column] = [rowOf.get(bundle.low), placeOf.get(bundle.high)];
      if (row === undefined || column === undefined) return;
      const cell = row * columns.length + column;
      bundleAt.set(cell, place);
      values[cell] = largest(bundle[way], view.values[state.rail]);
      hot[cell] = bundle[way].some((link) => isHot(view, link)) ? 1 : 0;
      if (lit && view.lit) lit[cell] = largest(bundle[way], view.lit.links[state.rail]);
      if (state.choice.kind === "links" && state.choice.rail === state.rail)
        if (state.choice.links.some((link) => bundle[way].includes(link))) chosen = [row, column];
    });
    drawing.show(
      {
        label: `Matrix of ${rows.length} by ${columns.length} switches, ${way}`,
        rows: rows.length,
        columns: columns.length,
        values,
        lit,
        hot: lit ? null : hot,
        logarithmic: false,
        most,
        rowName: (row) => rail.name(rows[row]),
        columnName: (column) => rail.name(columns[column]),
        rowTitle: rail.data.topology ? "switch" : `level ${rail.level[rows[0]]}`,
        columnTitle: rail.data.topology ? "switch" : `level ${rail.level[columns[0]]}`,
        text: lit ? null : view.text,
        facts: (row, column) => {
          const place = bundleAt.get(row * columns.length + column);
          return place === undefined ? null : bundleFacts(view, place);
        },
        choose: (row, column) => {
          const place = bundleAt.get(row * columns.length + column);
          if (place === undefined) return;
          const links = rail.bundles[place][way];
          const values = view.values[state.rail];
          const link = links.reduce((best, other) => (values[other] > values[best] ? other : best));
          this.choose({ kind: "links", rail: state.rail, links: [link] });
        },
        chosen,
        largest: 46,
        highest: 420,
        square: false,
      },
      view.theme,
    );
  }
}
