/** Who sends how much to whom over the network, and which of it goes through what was chosen. */
import { MatrixDrawing } from "../ui/matrix.ts";
import { percentText } from "../units.ts";
import { amountText } from "./facts.ts";
import type { Choice } from "./state.ts";
import type { View } from "./view.ts";

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
    const { flows, network, state, lit } = view;
    const values = view.cells;
    const shown = lit ? lit.cells : values;
    const hosts = network.data.hosts;
    const hostOf = (block: number) => hosts[network.data.hostOf[block * flows.data.together]];
    const name = (block: number) => String(block * flows.data.together);
    this.drawing.show(
      {
        label: `Matrix of ${flows.size} by ${flows.size} senders and receivers`,
        rows: flows.size,
        columns: flows.size,
        values,
        lit: lit ? lit.cells : null,
        hot: null,
        logarithmic: true,
        most: shown.reduce((most, value) => Math.max(most, value), 0),
        rowName: name,
        columnName: name,
        rowTitle: "from rank",
        columnTitle: "to rank",
        text: null,
        facts: (row, column) => {
          const cell = row * flows.size + column;
          if (!(values[cell] > 0)) return null;
          const rows: [string, string][] = [["over the network", amountText(view, values[cell])]];
          if (lit)
            rows.push([
              "of what is chosen",
              `${amountText(view, lit.cells[cell])} (${percentText(lit.cells[cell] / values[cell])})`,
            ]);
          return {
            head: `${flows.blockName(row)} → ${flows.blockName(column)}`,
            note: `${hostOf(row)} → ${hostOf(column)}`,
            rows,
          };
        },
        choose: (row, column) => {
          this.choose({ kind: "cell", row, column });
        },
        chosen: state.choice.kind === "cell" ? [state.choice.row, state.choice.column] : null,
        largest: 30,
        highest: 620,
      },
      view.theme,
    );
  }
}
