/** What somebody needs who sees a report for the first time: how to read it, filters, keys. */
import { button, element } from "../ui/dom.ts";

const READING = [
  "Each figure has what it shows as its title; the line below it says how to read it.",
  "“data” saves its numbers as a CSV file, “image” saves it as it is drawn.",
  "Choosing a row, a bar or a cell narrows the report to it: on all pages, until it is taken away again.",
  "The browser’s Back undoes the last choice, Esc takes it away.",
  "The address of this page holds what is shown: keep it or send it with the file, and it opens like this.",
];
const FILTERS = [
  "Each filter in use is a button in the bar: press it to be rid of it. Where a page can't follow a filter, it says so.",
  "Ranks are written as 0-3,8. A family is all communicators that were made in the same way.",
  "A size is that of the data of one call on one rank. A region is without those nested in it; with a slash at its end, such as solve/, they are in it, too.",
];
const KEYS: [string, string][] = [
  ["/", "search: arrow keys, then Enter"],
  ["← →", "on the names of the pages: the next page"],
  ["↑ ↓ Enter", "in tables: go to a row, choose it"],
  ["← → ↑ ↓ Enter", "in matrices: go to a cell, choose it"],
  ["Esc", "take away what was chosen last"],
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
    // Its own box has no room beside what is in it: what is clicked there is around it.
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
