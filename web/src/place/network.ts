/** The network ports of the nodes: messages of the ranks and other traffic. */
import { theme } from "../ui/colours.ts";
import { redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { givenTable, tableLines } from "../ui/table.ts";
import { networkRates } from "./network_rates.ts";
import type { PlaceView } from "./view.ts";

export class NetworkPorts {
  private readonly figure = figure(
    "network ports",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private view: PlaceView | null = null;

  show(view: PlaceView): void {
    const { network } = view.data;
    this.card.hidden = network === null;
    if (!network) return;
    this.view = view;
    this.figure.title.textContent = network.title;
    redraw(this.figure.body, [
      ...(network.rates ? [networkRates(network.rates, theme())] : []),
      ...network.tables.flatMap((table) => [
        ...(table.title ? [element("h3", table.title)] : []),
        givenTable(table, { label: table.title || "nodes" }),
      ]),
    ]);
    this.figure.caption.textContent =
      "Counted by the kernel of each node, from the first MPI_Init to the last MPI_Finalize; without headers of packets," +
      " which are estimated. The sum of the messages is counted; their distribution over time is estimated from the bytes of all calls.";
  }

  private save(): void {
    const network = this.view?.data.network;
    if (network)
      saveCsv(
        "network ports",
        network.tables.flatMap((table) => tableLines(table)),
      );
  }
}
