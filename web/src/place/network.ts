/** The network ports of the nodes: messages of the ranks and other traffic, waits and errors. */
import { theme } from "../ui/colours.ts";
import { redraw } from "../ui/controls.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { givenTable, tableLines } from "../ui/table.ts";
import type { NetworkData } from "./contract.ts";
import { networkRates } from "./network_rates.ts";
import type { PlaceView } from "./view.ts";

const MOST = 32;
const [NARROWEST, WIDEST] = [240, 1100];

export class NetworkTraffic {
  private readonly figure = figure(
    "network-traffic",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private network: NetworkData | null = null;

  show(view: PlaceView): void {
    const { network } = view.data;
    this.network = network;
    this.card.hidden = !network;
    if (!network) return;
    const { title, body, caption } = this.figure;
    title.textContent = network.title;
    const width = Math.min(WIDEST, Math.max(NARROWEST, body.clientWidth));
    redraw(body, [
      ...(network.rates ? [networkRates(network.rates, theme(), width)] : []),
      givenTable(network.nodes, { label: "nodes", most: MOST }),
    ]);
    caption.textContent =
      "Counted by the kernel of each node, from the first MPI_Init to the last MPI_Finalize; without headers of packets," +
      " which are estimated. The sum of the messages is counted; their distribution over time is estimated from the bytes of all calls.";
  }

  private save(): void {
    if (this.network) saveCsv("network-traffic", tableLines(this.network.nodes));
  }
}

export class NetworkPorts {
  private readonly figure = figure(
    "network-ports",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private network: NetworkData | null = null;

  show(view: PlaceView): void {
    const { network } = view.data;
    this.network = network;
    this.card.hidden = !network;
    if (!network) return;
    const { title, body, caption } = this.figure;
    title.textContent = network.portsTitle;
    redraw(body, [givenTable(network.ports, { label: "network ports", most: MOST })]);
    caption.textContent =
      "From the first sample to the last, with headers of packets. Blocked: the port had data to send and could not, in percent of" +
      " the time in which it had data (estimated). Errors of the network's switches are not counted.";
  }

  private save(): void {
    if (this.network) saveCsv("network-ports", tableLines(this.network.ports));
  }
}
