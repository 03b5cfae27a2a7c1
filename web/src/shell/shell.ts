/** The frame around the pages: title, navigation, filters. One page is open at a time. */
import type { Report, RunData } from "../contract.ts";
import { button, element, short } from "../ui/dom.ts";
import { list, redraw } from "../ui/controls.ts";
import { lookButton } from "../ui/look.ts";
import { Context } from "./context.ts";
import { Filters, told } from "./filters.ts";
import { Help } from "./help.ts";
import type { Open, Page } from "./page_interface.ts";
import { PAGES } from "./pages.ts";
import { Search } from "./search.ts";
import { EVERYTHING } from "./state.ts";

/** Keys that these elements use themselves. */
const TYPED = "input, select, textarea, dialog";
/** Letters of the names in the address. */
const LONGEST = 60;
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export class Shell {
  private readonly context: Context;
  private readonly filters: Filters;
  private readonly search: Search;
  private readonly help: Help;
  private readonly words = element("div", [], "words");
  private readonly tabs = element("div", [], "tabs");
  private readonly runs = element("div", [], "runs");
  private readonly notice = element("p", [], "notice");
  private readonly stage = element("div", [], "page");
  private readonly head: HTMLElement;
  private readonly opened = new Map<string, { parent: HTMLElement; open: Open }>();
  private now: Open | null = null;

  constructor(
    private readonly report: Report,
    main: HTMLElement,
  ) {
    this.context = new Context(report, () => {
      this.show();
    });
    this.filters = new Filters(this.context);
    this.search = new Search(this.context);
    this.help = new Help(() => {
      this.context.change({ page: "appendix" });
    });
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", "pages");
    this.stage.id = "stage";
    this.stage.setAttribute("role", "tabpanel");
    this.notice.setAttribute("role", "status");
    const bar = element("nav", [
      element("div", [this.tabs, this.runs, this.search.part], "row"),
      this.filters.bar,
    ]);
    bar.setAttribute("aria-label", "pages and filters");
    this.head = element("header", [this.tools(main), this.words]);
    main.replaceChildren(this.head, bar, this.notice, this.stage, this.help.dialog);
    this.listen();
    this.show();
  }

  show(): void {
    const { context } = this;
    const { run } = context;
    const pages = PAGES.filter((page) => page.there?.(context) ?? true);
    const page = pages.find(({ name }) => name === context.state.page) ?? pages[0];
    document.title = `${page.title} · ${this.report.title}`;
    this.titles(page);
    redraw(
      this.tabs,
      pages.map((one) => this.tab(one, page, pages)),
    );
    this.filters.show();
    this.tell(page);
    this.stage.setAttribute("aria-labelledby", `tab-${page.name}`);
    const key = `${run.name}\n${page.name}`;
    const there = this.opened.get(key);
    const parent = there?.parent ?? element("div", [], `sheet ${page.name}`);
    if (this.stage.firstElementChild !== parent) this.turnTo(parent, page);
    // A page is created when it is first shown, because it measures its space.
    const open = there?.open ?? page.open(context, parent);
    if (there) open.show();
    else this.opened.set(key, { parent, open });
    this.now = open;
  }

  private listen(): void {
    let waiting = 0;
    window.addEventListener("resize", () => {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(() => {
        this.show();
      }, 150);
    });
    window.addEventListener("keydown", (event) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.closest(TYPED)) return;
      if (event.key === "/") this.search.focus();
      else if (event.key === "?") this.help.show();
      else if (event.key === "Escape") {
        if (!this.now?.escape?.()) this.context.takeBack();
      } else return;
      event.preventDefault();
    });
  }

  private turnTo(parent: HTMLElement, page: Page): void {
    this.stage.replaceChildren(parent);
    // Do not jump from the middle of a long page to the middle of another one, but below the bar, if that is at the
    // top.
    if (window.scrollY > this.head.offsetHeight) window.scrollTo(0, this.head.offsetHeight);
    const tab = document.getElementById(`tab-${page.name}`);
    if (tab) this.tabs.scrollLeft = tab.offsetLeft - (this.tabs.clientWidth - tab.offsetWidth) / 2;
  }

  /** Report the filters that a page, or the run, ignores. */
  private tell(page: Page): void {
    const { selection } = this.context;
    const sentences = selection.everything ? [] : [told(selection), page.ignores?.(this.context) ?? ""];
    sentences.push(unknownKeys(this.context.state.options));
    this.notice.textContent = sentences.filter(Boolean).join(" ");
    this.notice.hidden = !this.notice.textContent;
  }

  private titles(page: Page): void {
    const { run } = this.context;
    const heading = page.heading?.(this.context);
    this.words.replaceChildren(...(heading ? [element("h1", heading)] : titlesOf(run)));
    const { runs } = this.report;
    this.runs.hidden = runs.length < 2;
    const options = runs.map(({ name }) => ({ value: name, text: name }));
    const choose = (value: string) => {
      this.context.change({ run: value });
    };
    redraw(this.runs, runs.length > 1 ? [list("profile", options, run.name, choose)] : []);
  }

  private tab(one: Page, now: Page, pages: readonly Page[]): HTMLElement {
    const made = button(one.title, () => {
      this.context.change({ page: one.name });
    });
    made.id = `tab-${one.name}`;
    made.dataset.key = made.id;
    made.setAttribute("role", "tab");
    made.setAttribute("aria-selected", String(one === now));
    made.setAttribute("aria-controls", "stage");
    made.tabIndex = one === now ? 0 : -1;
    made.addEventListener("keydown", (event) => {
      if (!(event.key in STEPS)) return;
      event.preventDefault();
      const next = pages[STEPS[event.key](pages.indexOf(one), pages.length)];
      this.context.change({ page: next.name });
      document.getElementById(`tab-${next.name}`)?.focus();
    });
    return made;
  }

  private tools(main: HTMLElement): HTMLElement {
    const help = button("help", () => {
      this.help.show();
    });
    help.id = "help";
    const theme = lookButton(main, () => {
      this.show();
    });
    return element("div", [help, theme], "tools");
  }
}

function titlesOf(run: RunData): HTMLElement[] {
  const phrases = run.about.map((text) => element("span", text));
  const parts = [element("h1", run.title)];
  if (run.lead) parts.push(element("p", run.lead, "lead"));
  parts.push(element("p", phrases, "about"));
  if (run.warnings.length) parts.push(element("p", `Beware: ${run.warnings.join("; ")}`, "warnings"));
  return parts;
}

/** Report names in the address that are neither filters nor options of a page; '' = none. */
function unknownKeys(options: ReadonlyMap<string, string>): string {
  const known = new Set(PAGES.flatMap((page) => page.options ?? []));
  const unknown = [...options].filter(([key]) => !known.has(key));
  if (!unknown.length) return "";
  const named = unknown.map(([key, value]) => short(`${key}=${value}`, LONGEST)).join(", ");
  const filters = Object.keys(EVERYTHING).join(", ");
  return `The address names ${named}, which ${unknown.length > 1 ? "are not filters" : "is not a filter"}: the filters are ${filters}.`;
}
