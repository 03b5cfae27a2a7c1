/** How the time is divided among ranks: computing, waiting, transfer, and the ranks that others waited for. */
import "./balance.css";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { element } from "../ui/dom.ts";
import { balanceOf } from "./model.ts";
import { NodeTable, RankTable } from "./tables.ts";
import { TimesFigure } from "./times.ts";
import { WaitsFigure } from "./waits.ts";

const FEW = 32; // ranks: their bars need no more than half of a wide screen

export const page: Page = {
  name: "balance",
  title: "Balance",
  order: 70,
  options: ["bars-by", "waits-by", "ranks-order", "nodes-order"],
  there: ({ run }) => run.balance !== undefined,
  open: (context, parent) => {
    const missing = context.run.balance?.missing;
    if (!missing) return new BalancePage(context, parent);
    parent.append(element("p", missing, "empty"));
    return { show: () => undefined };
  },
};

class BalancePage implements Open {
  private readonly figures: (Open & { card: HTMLElement })[];

  constructor(context: Context, parent: HTMLElement) {
    this.figures = [
      new TimesFigure(context),
      new WaitsFigure(context),
      new NodeTable(context),
      new RankTable(context),
    ];
    parent.append(...this.figures.map(({ card }) => card));
    parent.classList.toggle("few", balanceOf(context.run).ranks.rank.length <= FEW);
    this.show();
  }

  show(): void {
    for (const figure of this.figures) figure.show();
  }
}
