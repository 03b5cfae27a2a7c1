/** The filters of all pages: lists to choose from, and of each that is in use a chip that takes it away. */
import type { Axes } from "../contract.ts";
import { button, element } from "../ui/dom.ts";
import { list, type Option, redraw } from "../ui/controls.ts";
import type { Context } from "./context.ts";
import { ranksOf } from "./selection.ts";
import type { Filter } from "./state.ts";

const TITLES: Record<keyof Filter, string> = {
  communicator: "communicator",
  procedure: "call",
  sizeFrom: "from",
  sizeTo: "to",
  ranks: "ranks",
  region: "region",
  node: "node",
};
/** More are no longer a list that somebody looks through: the search finds them. */
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
  }

  show(): void {
    const { context } = this;
    const { axes } = context.run;
    const of = (key: keyof Filter, options: Option<string>[]) =>
      options.length > 1
        ? [
            list(
              TITLES[key],
              [{ value: "", text: "all" }, ...options],
              context.state.filter[key],
              (value) => {
                context.filter({ [key]: value });
              },
            ),
          ]
        : [];
    const named = (names: string[]) =>
      names.slice(0, MOST_OPTIONS).map((name) => ({ value: name, text: name }));
    const { procedures, regions, sizes, hosts } = axes;
    if (document.activeElement !== this.ranks) this.ranks.value = context.state.filter.ranks;
    const ranks = element("label", [element("span", TITLES.ranks), this.ranks], "list");
    redraw(this.lists, [
      ...of("communicator", communicators(axes)),
      ...of("procedure", named(procedures.name.filter((_, one) => !procedures.apart[one]))),
      ...(sizes.length > 1 ? [element("span", "sizes", "of")] : []),
      ...of("sizeFrom", named(sizes)),
      ...of("sizeTo", named(sizes)),
      ...(axes.ranks > 1 ? [ranks] : []),
      ...of("node", named(hosts)),
      ...of("region", named(regions.name)),
    ]);
    this.chips.replaceChildren(...this.chosen());
  }

  private chosen(): HTMLElement[] {
    const { selection, state } = this.context;
    const chips = selection.chosen.map((key) => {
      const unknown = selection.unknown.includes(key) ? " (not in this run)" : "";
      const text = `${TITLES[key]} ${state.filter[key]}${unknown}`;
      return chip(text, () => {
        this.context.filter({ [key]: "" });
      });
    });
    if (chips.length > 1)
      chips.push(
        button("show all", () => {
          this.context.everything();
        }),
      );
    return chips;
  }

  private take(): void {
    const text = this.ranks.value.replaceAll(" ", "");
    const wrong = ranksOf(text, this.context.run.axes.ranks)?.size === 0;
    this.ranks.setCustomValidity(wrong ? "There are no such ranks: write them as 0-3,8" : "");
    this.ranks.reportValidity();
    if (!wrong) this.context.filter({ ranks: text });
  }
}

function chip(text: string, remove: () => void): HTMLElement {
  const made = button(`${text} ×`, remove, `no longer only ${text}`);
  made.className = "chip";
  return made;
}

/** Families that have several, each followed by its communicators. */
function communicators({ communicators: { name, label, family } }: Axes): Option<string>[] {
  const members = new Map<string, number[]>();
  family.forEach((of, one) => {
    const list = members.get(of);
    if (list) list.push(one);
    else members.set(of, [one]);
  });
  const found: Option<string>[] = [];
  for (const [of, ones] of members) {
    if (ones.length > 1) found.push({ value: of, text: `${of} (${ones.length} communicators)` });
    const indent = ones.length > 1 ? "\u2003" : "";
    for (const one of ones) found.push({ value: name[one], text: indent + label[one] });
  }
  return found.slice(0, MOST_OPTIONS);
}
