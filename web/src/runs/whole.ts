/** The page of many runs: a sheet by itself, with its filters. */
import { element } from "../ui/dom.ts";
import type { SheetData } from "./contract.ts";
import { FilterBar } from "./filter_bar.ts";
import { Sheet } from "./sheet.ts";

export class RunsPage {
  private readonly sheet: Sheet;

  constructor(data: SheetData, parent: HTMLElement, toggle: HTMLElement) {
    const filters = new FilterBar(data.tables, () => {
      this.show();
    });
    parent.replaceChildren(
      element("header", [element("div", [toggle], "tools"), element("div", [element("h1", data.title)])]),
      filters.part,
    );
    this.sheet = new Sheet(data, parent, () => filters.filter);
  }

  show(): void {
    this.sheet.show();
  }
}
