/** The filters of a sheet that is a page by itself: a text, and lists to choose from. Kept in the address. */
import { list, redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import type { TableData } from "../ui/data.ts";
import { type Choice, choices, EVERYTHING, type Filter, fromAddress, toAddress } from "./filter.ts";

/** Longer lists are not scanned by eye: the text finds their entries. */
const MOST_OPTIONS = 2000;

export class FilterBar {
  readonly part = element("nav", [], "filters");
  filter: Filter;
  private readonly choices: Choice[];
  private readonly text = element("input");
  private readonly lists = element("div", [], "lists");

  constructor(
    tables: readonly TableData[],
    /** Called when the filter has changed. */
    private readonly changed: () => void,
  ) {
    this.choices = choices(tables).filter(({ options }) => options.length > 1);
    this.filter = fromAddress(window.location.hash, this.choices);
    this.part.setAttribute("aria-label", "filters");
    this.text.type = "search";
    this.text.placeholder = "Find in the tables …";
    this.text.setAttribute("aria-label", "find in the tables");
    this.text.addEventListener("input", () => {
      this.take({ ...this.filter, text: this.text.value });
    });
    this.part.append(this.text, this.lists);
    window.addEventListener("hashchange", () => {
      this.filter = fromAddress(window.location.hash, this.choices);
      this.show();
      this.changed();
    });
    this.show();
  }

  private show(): void {
    if (this.text.value !== this.filter.text) this.text.value = this.filter.text;
    const { values, text } = this.filter;
    const parts: HTMLElement[] = this.choices.map(({ column, options }) => {
      const now = values.get(column) ?? "";
      const all = [{ value: "", text: "all" }, ...options.slice(0, MOST_OPTIONS)];
      if (!all.some(({ value }) => value === now)) all.push({ value: now, text: now });
      return list(column, all, now, (value) => {
        const changed = new Map(values);
        if (value) changed.set(column, value);
        else changed.delete(column);
        this.take({ ...this.filter, values: changed });
      });
    });
    if (text || values.size) {
      const all = button("show all", () => {
        this.take(EVERYTHING);
      });
      all.className = "plain";
      parts.push(all);
    }
    redraw(this.lists, parts);
  }

  private take(filter: Filter): void {
    this.filter = filter;
    const address = toAddress(filter);
    const { pathname, search } = window.location;
    window.history.replaceState(null, "", address ? `#${address}` : pathname + search);
    this.show();
    this.changed();
  }
}
