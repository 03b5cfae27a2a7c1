/** The filters of all pages: lists to choose from, and for each filter in use a chip that removes it. */
import type { Axes } from "../contract.ts";
import { button, element } from "../ui/dom.ts";
import { list, type Option, redraw } from "../ui/controls.ts";
import type { Context } from "./context.ts";
import { regionOptions } from "./regions.ts";
import { calledProcedures, familiesOf, ranksOf, type Selection } from "./selection.ts";
import type { Filter } from "./state.ts";

const TITLES: Record<keyof Filter, string> = {
  communicator: "communicator",
  procedure: "call",
  sizeFrom: "size from",
  sizeTo: "size to",
  ranks: "ranks",
  region: "region",
  node: "node",
  site: "call site",
};
/** Longer lists are not scanned by eye: the search finds their entries. */
const MOST_OPTIONS = 2000;

export class Filters {
  readonly bar = element("div", [], "filters");
  private readonly lists = element("div", [], "lists");
  private readonly chips = element("div", [], "chips");
  private readonly ranks = element("input");
  private readonly open = element("details", [element("summary", "Filter"), this.lists]);

  constructor(private readonly context: Context) {
    this.bar.append(this.open, this.chips);
    this.ranks.type = "text";
    this.ranks.size = 8;
    this.ranks.placeholder = "0-3,8";
    this.ranks.dataset.key = "ranks";
    this.ranks.setAttribute("aria-label", "ranks, such as 0-3,8");
    this.ranks.addEventListener("change", () => {
      this.take();
    });
    this.ranks.addEventListener("input", () => {
      this.ranks.setCustomValidity("");
    });
    this.open.addEventListener("toggle", () => {
      this.show();
    });
  }

  show(): void {
    if (this.open.open) redraw(this.lists, this.choices());
    redraw(this.chips, this.chosen());
  }

  private choices(): HTMLElement[] {
    const { context, ranks } = this;
    const { axes } = context.run;
    const { regions, sizes, hosts, sites } = axes;
    const of = (key: keyof Filter, options: Option<string>[]) => {
      const now = context.state.filter[key];
      if (options.length < 2 && !now) return [];
      const all = [{ value: "", text: "all" }, ...options];
      if (!all.some(({ value }) => value === now)) all.push({ value: now, text: now });
      return [
        list(TITLES[key], all, now, (value) => {
          context.filter({ [key]: value });
        }),
      ];
    };
    const named = (names: string[]) =>
      names.slice(0, MOST_OPTIONS).map((name) => ({ value: name, text: name }));
    if (document.activeElement !== ranks) ranks.value = context.state.filter.ranks;
    return [
      ...of("communicator", communicators(axes)),
      ...of("procedure", named(calledProcedures(context.run))),
      ...of("sizeFrom", named(sizes)),
      ...of("sizeTo", named(sizes)),
      ...(axes.ranks > 1 ? [element("label", [element("span", TITLES.ranks), ranks], "list")] : []),
      ...of("node", named(hosts)),
      ...of("region", regionOptions(regions).slice(0, MOST_OPTIONS)),
      ...of("site", named(sites)),
    ];
  }

  private chosen(): HTMLElement[] {
    const { context } = this;
    const { selection, state } = context;
    const chips = selection.chosen.map((key) =>
      chip(`${TITLES[key]} ${state.filter[key]}`, selection.unknown.includes(key), () => {
        context.filter({ [key]: "" });
      }),
    );
    if (chips.length > 1)
      chips.push(
        button("show all", () => {
          context.everything();
        }),
      );
    return chips;
  }

  private take(): void {
    const text = this.ranks.value.replaceAll(" ", "");
    const wrong = ranksOf(text, this.context.run.axes.ranks)?.size === 0;
    this.ranks.setCustomValidity(wrong ? "There are no such ranks: write ranks as 0-3,8" : "");
    this.ranks.reportValidity();
    if (!wrong) this.context.filter({ ranks: text });
  }
}

function chip(text: string, unknown: boolean, remove: () => void): HTMLElement {
  const made = button(text, remove, `${text}: show others, too`);
  made.append(element("span", " ×", "cross"));
  made.className = unknown ? "chip unknown" : "chip";
  made.dataset.key = text;
  return made;
}

/** Say why the filters leave nothing, even if a page shows more than their choice; '' = they leave something. */
export function told({ unknown, filter, cells }: Selection): string {
  if (unknown.length) {
    const names = unknown.map((key) => `${TITLES[key]} ${filter[key]}`);
    return `This run has no ${names.join(", and no ")}.`;
  }
  return cells.length ? "" : "No call matches all of these filters.";
}

/** Families that have several, each followed by its communicators. */
function communicators(axes: Axes): Option<string>[] {
  const { name, label } = axes.communicators;
  const found: Option<string>[] = [];
  for (const { name: of, members: ones } of familiesOf(axes)) {
    if (ones.length > 1) found.push({ value: of, text: `${of} (${ones.length} communicators)` });
    const indent = ones.length > 1 ? "\u2003" : "";
    for (const one of ones) found.push({ value: name[one], text: indent + label[one] });
  }
  return found.slice(0, MOST_OPTIONS);
}
