/** Help for first-time readers of a report: how to read it, filters, keys. */
import { button, element } from "../ui/dom.ts";

const READING = [
  "The title of each figure states its result; the line below explains how to read it.",
  "“data” saves its numbers as a CSV file, “image” saves the drawing.",
  "Click a row, a bar or a cell to filter every page by it, until you remove the filter.",
  "The browser’s Back button or Esc removes the last filter.",
  "The address of this page stores the view: keep it or send it with the file to open the same view.",
];
const FILTERS = [
  "Each filter in use is a button in the bar: click to remove it. A page that can't apply a filter says so.",
  "Ranks are written as 0-3,8. A family is all communicators that were created in the same way.",
  "A size is the data of one call on one rank. A region excludes nested regions; with a slash at its end, such as solve/, it includes them.",
];
const KEYS: [string, string][] = [
  ["/", "search: arrow keys, then Enter"],
  ["← →", "on the page names: go to the next page"],
  ["↑ ↓ Enter", "in tables: go to a row, select it"],
  ["← → ↑ ↓ Enter", "in matrices: go to a cell, select it"],
  ["Esc", "remove the last filter"],
  ["?", "this help"],
];

export class Help {
  readonly dialog = element("dialog", [], "help");

  constructor(appendix: () => void) {
    const { dialog } = this;
    const title = element("h2", "How to read this report");
    title.id = "help-title";
    dialog.setAttribute("aria-labelledby", title.id);
    const close = button("close", () => {
      dialog.close();
    });
    close.className = "plain";
    dialog.append(
      element("div", [title, close], "head"),
      paragraphs(READING),
      element("h3", "Filters"),
      paragraphs(FILTERS),
      element("h3", "Keys"),
      element(
        "dl",
        KEYS.flatMap(([keys, what]) => [
          element(
            "dt",
            keys.split(" ").flatMap((key) => [element("kbd", key), " "]),
          ),
          element("dd", what),
        ]),
      ),
    );
    const go = button("Definitions of all metrics", () => {
      dialog.close();
      appendix();
    });
    go.className = "plain";
    dialog.append(element("p", go));
    // The dialog has no padding: a click outside its content is in the backdrop.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  show(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}

function paragraphs(texts: string[]): HTMLElement {
  return element(
    "ul",
    texts.map((text) => element("li", text)),
  );
}
