/** Places of the program and of its libraries that call MPI. */
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { element } from "../ui/dom.ts";
import { Callers, ignoredByCallers } from "./callers.ts";
import { Libraries } from "./libraries.ts";
import { Places } from "./places.ts";
import { Split } from "./split.ts";
import { SitesView } from "./view.ts";
import "./sites.css";

export const page: Page = {
  name: "sites",
  title: "Call sites",
  order: 50,
  options: ["callers", "find", "library", "order"],
  ignores: ({ run, state }) => (run.sites ? ignoredByCallers(run.sites, state.filter) : ""),
  there: ({ run }) => run.sites !== undefined,
  open: (context, parent) => new SitesPage(context, parent),
};

class SitesPage implements Open {
  private readonly cards: { show: (view: SitesView) => void; card: HTMLElement }[] = [];

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
  ) {
    const { sites } = context.run;
    if (!sites || sites.missing) {
      parent.append(element("p", sites?.missing ?? "", "empty"));
      return;
    }
    this.cards = [
      new Libraries(context),
      new Callers(context, sites),
      new Places(context),
      new Split(context),
    ];
    parent.append(...this.cards.map(({ card }) => card));
    this.show();
  }

  show(): void {
    const { sites } = this.context.run;
    if (!sites || sites.missing) return;
    const view = new SitesView(this.context, sites);
    for (const card of this.cards) card.show(view);
  }
}
