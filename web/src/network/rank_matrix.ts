/** The traffic between ranks over the network, and the part that goes through the choice. */
import { MatrixDrawing } from "../ui/matrix.ts";
import type { Facts } from "../ui/tip.ts";
import { percentText } from "../units.ts";
import { amountText } from "./facts.ts";
import { highest } from "./model.ts";
import type { Choice } from "./state.ts";
import type { View } from "./view.ts";

/** With more ranks, cells are smaller than pixels: a cell then shows the largest of its pairs. */
const MOST_ROWS = 1024;

export class RankMatrix {
  private readonly drawing: MatrixDrawing;

  constructor(
    parent: HTMLElement,
    private readonly choose: (choice: Choice) => void,
  ) {
    this.drawing = new MatrixDrawing(parent);
  }

  get canvas(): HTMLCanvasElement {
    return this.drawing.canvas;
  }

  show(view: View): void {
    const { flows, state, lit } = view;
    const each = Math.max(1, Math.ceil(flows.size / MOST_ROWS));
    const size = Math.ceil(flows.size / each);
    const best = new Int32Array(size * size).fill(-1);
    const values = new Float32Array(size * size);
    const shown = lit ? new Float32Array(size * size) : null;
    view.cells.forEach((amount, cell) => {
      const at = Math.floor(flows.row[cell] / each) * size + Math.floor(flows.column[cell] / each);
      const now = lit ? lit.cells[cell] : amount;
      if (best[at] < 0 || now > (shown ?? values)[at]) best[at] = cell;
      values[at] = Math.max(values[at], amount);
      if (shown) shown[at] = Math.max(shown[at], now);
    });
    const name = (block: number) => String(block * each * flows.data.together);
    const chosen = state.choice.kind === "cell" ? state.choice : null;
    this.drawing.show(
      {
        label: `Matrix of ${size} by ${size} senders and receivers`,
        rows: size,
        columns: size,
        values,
        lit: shown,
        hot: null,
        logarithmic: true,
        most: highest(shown ?? values),
        rowName: name,
        columnName: name,
        rowTitle: "from rank",
        columnTitle: "to rank",
        text: null,
        facts: (row, column) => this.facts(view, best[row * size + column]),
        choose: (row, column) => {
          const cell = best[row * size + column];
          if (cell >= 0) this.choose({ kind: "cell", row: flows.row[cell], column: flows.column[cell] });
        },
        chosen: chosen ? [Math.floor(chosen.row / each), Math.floor(chosen.column / each)] : null,
        largest: 30,
        highest: 520,
        square: true,
      },
      view.theme,
    );
  }

  private facts(view: View, cell: number): Facts | null {
    const { flows, lit, cells } = view;
    if (cell < 0 || !(cells[cell] > 0)) return null;
    const [from, to] = [flows.row[cell], flows.column[cell]];
    const rows: [string, string][] = [["over the network", amountText(view, cells[cell])]];
    if (lit) {
      const part = percentText(lit.cells[cell] / cells[cell]);
      const head = `of the selection${lit.estimated.cells ? ", estimated" : ""}`;
      rows.push([head, `${amountText(view, lit.cells[cell])} (${part})`]);
    }
    return {
      head: `${flows.blockName(from)} → ${flows.blockName(to)}`,
      note: `${flows.hostName(from)} → ${flows.hostName(to)}`,
      rows,
    };
  }
}
