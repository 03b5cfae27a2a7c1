/** What stands around the pages: title, the way from page to page, filters. One page is open at a time. */
import type { Report } from "../contract.ts";
import { button, element } from "../ui/dom.ts";
import { list } from "../ui/controls.ts";
import { Context } from "./context.ts";
import { Filters } from "./filters.ts";
import { type Open, type Page, PAGES } from "./pages.ts";
import { search } from "./search.ts";

type Look = "light" | "dark";

export function look(): Look {
  const given = document.documentElement.dataset.theme;
  if (given === "light" || given === "dark") return given;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export class Shell {
  private readonly context: Context;
  private readonly filters: Filters;
  private readonly words = element("div", [], "words");
  private readonly tabs = element("div", [], "tabs");
  private readonly runs = element("div", [], "runs");
  private readonly notice = element("p", [], "notice");
  private readonly stage = element("div", [], "page");
  private readonly opened = new Map<string, { parent: HTMLElement; open: Open }>();

  constructor(
    private readonly report: Report,
    main: HTMLElement,
  ) {
    this.context = new Context(report, () => {
      this.show();
    });
    this.filters = new Filters(this.context);
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", "pages");
    this.stage.id = "stage";
    this.stage.setAttribute("role", "tabpanel");
    this.notice.setAttribute("role", "status");
    const bar = element("nav", [
      element("div", [this.tabs, this.runs, search(this.context)], "row"),
      this.filters.bar,
    ]);
    bar.setAttribute("aria-label", "pages and filters");
    main.replaceChildren(element("header", [this.words, this.theme()]), bar, this.notice, this.stage);
    let waiting = 0;
    window.addEventListener("resize", () => {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(() => {
        this.show();
      }, 150);
    });
    this.show();
  }

  show(): void {
    const { context } = this;
    const { run } = context;
    this.head();
    const pages = PAGES.filter((page) => page.there?.(context) ?? true);
    const page = pages.find(({ name }) => name === context.state.page) ?? pages[0];
    this.tabs.replaceChildren(...pages.map((one) => this.tab(one, page, pages)));
    this.filters.show();
    const told = context.selection.everything ? "" : (page.ignores?.(context) ?? "");
    this.notice.textContent = told;
    this.notice.hidden = !told;
    this.stage.setAttribute("aria-labelledby", `tab-${page.name}`);
    const key = `${run.name}\n${page.name}`;
    const parent = this.opened.get(key)?.parent ?? element("div", [], `sheet ${page.name}`);
    if (this.stage.firstElementChild !== parent) this.stage.replaceChildren(parent);
    // A page is made when it is first looked at: it measures the room that it has.
    const there = this.opened.get(key);
    if (there) there.open.show();
    else this.opened.set(key, { parent, open: page.open(context, parent) });
  }

  private head(): void {
    const { run } = this.context;
    const phrases = (texts: string[]) => texts.map((text) => element("span", text));
    this.words.replaceChildren(
      element("h1", this.report.title),
      element("p", run.lead, "lead"),
      element("p", phrases(run.about), "about"),
    );
    if (run.warnings.length)
      this.words.append(element("p", `Beware: ${run.warnings.join("; ")}`, "warnings"));
    const { runs } = this.report;
    const options = runs.map(({ name }) => ({ value: name, text: name }));
    this.runs.replaceChildren(
      ...(runs.length > 1
        ? [
            list("profile", options, run.name, (value) => {
              this.context.change({ run: value });
            }),
          ]
        : []),
    );
  }

  private tab(one: Page, now: Page, pages: readonly Page[]): HTMLElement {
    const made = button(one.title, () => {
      this.context.change({ page: one.name });
    });
    made.id = `tab-${one.name}`;
    made.setAttribute("role", "tab");
    made.setAttribute("aria-selected", String(one === now));
    made.setAttribute("aria-controls", "stage");
    made.tabIndex = one === now ? 0 : -1;
    made.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      const next = pages[(pages.indexOf(one) + step + pages.length) % pages.length];
      this.context.change({ page: next.name });
      document.getElementById(`tab-${next.name}`)?.focus();
    });
    return made;
  }

  private theme(): HTMLElement {
    const other = (): Look => (look() === "dark" ? "light" : "dark");
    const toggle = button(other(), () => {
      document.documentElement.dataset.theme = other();
      toggle.textContent = other();
      this.show();
    });
    toggle.id = "theme";
    toggle.className = "plain";
    toggle.title = "colours of the page";
    return toggle;
  }
}
