/** Where the ranks ran: nodes, sockets, cores. */
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { element } from "../ui/dom.ts";
import { Faults } from "./faults.ts";
import { NetworkPorts, NetworkTraffic } from "./network.ts";
import { Nodes } from "./nodes.ts";
import { NodeTable } from "./table.ts";
import { PlaceView } from "./view.ts";
import "./place.css";

export const page: Page = {
  name: "place",
  title: "Place",
  order: 90,
  options: ["colour", "drawn", "nodes"],
  there: ({ run }) => run.place !== undefined,
  ignores: (context) =>
    context.selection.chosen.some((key) => key !== "ranks" && key !== "node")
      ? "Time in MPI covers the selected calls. Waiting, moves, bytes on and off the node, and faults cover the whole run."
      : "",
  open: (context, parent) => new PlacePage(context, parent),
};

class PlacePage implements Open {
  private readonly cards: { show: (view: PlaceView) => void; card: HTMLElement }[] = [];

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    const { place } = context.run;
    if (!place || place.missing) {
      parent.append(element("p", place?.missing ?? "", "empty"));
      return;
    }
    this.cards = [
      new Faults(),
      new Nodes(),
      new NodeTable(context),
      new NetworkTraffic(),
      new NetworkPorts(),
    ];
    parent.append(...this.cards.map(({ card }) => card));
    this.show();
  }

  show(): void {
    const { place } = this.context.run;
    if (!place || place.missing) return;
    const view = new PlaceView(this.context, place);
    for (const card of this.cards) card.show(view);
  }
}
