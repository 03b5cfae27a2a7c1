/** Finds pages, calls, communicators and their families, nodes, regions, call sites, libraries and ranks by name. */
import { element } from "../ui/dom.ts";
import type { Context } from "./context.ts";
import { PAGES } from "./pages.ts";
import { LIBRARY } from "../sites/libraries.ts";
import { regionOptions } from "./regions.ts";
import { calledProcedures, familiesOf } from "./selection.ts";

export interface Found {
  text: string;
  what: string;
  go: () => void;
}

const MOST = 12;

export class Search {
  readonly part: HTMLElement;
  private readonly input = element("input");
  private readonly results = element("div", [], "results");
  private found: Found[] = [];
  private at = 0;

  constructor(private readonly context: Context) {
    const { input, results } = this;
    input.type = "search";
    input.id = "search";
    input.placeholder = "Find a call, a communicator, a rank …";
    input.autocomplete = "off";
    results.id = "results";
    results.hidden = true;
    results.setAttribute("role", "listbox");
    results.setAttribute("aria-label", "results");
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-label": "search",
      "aria-controls": results.id,
      "aria-expanded": "false",
      "aria-autocomplete": "list",
    }))
      input.setAttribute(name, value);
    input.addEventListener("input", () => {
      this.look();
    });
    input.addEventListener("focus", () => {
      this.look();
    });
    input.addEventListener("blur", () => {
      this.close();
    });
    input.addEventListener("keydown", (event) => {
      this.key(event);
    });
    this.part = element("div", [input, results], "search");
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  private look(): void {
    this.found = matches(this.context, this.input.value);
    this.at = 0;
    this.show();
  }

  private key(event: KeyboardEvent): void {
    const { input, found } = this;
    if (event.key === "Enter") this.take(found.at(this.at));
    else if (event.key === "ArrowDown") this.at = Math.min(this.at + 1, found.length - 1);
    else if (event.key === "ArrowUp") this.at = Math.max(this.at - 1, 0);
    else if (event.key === "Escape") {
      input.value = "";
      this.found = [];
    } else return;
    event.preventDefault();
    this.show();
  }

  private take(one: Found | undefined): void {
    if (!one) return;
    this.input.value = "";
    this.found = [];
    this.close();
    one.go();
  }

  private show(): void {
    const { found, at, input, results } = this;
    results.replaceChildren(...found.map((one, place) => this.line(one, place)));
    if (!found.length) {
      const none = element("div", "No match.", "none");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      results.replaceChildren(none);
    }
    results.hidden = input.value.trim() === "";
    input.setAttribute("aria-expanded", String(!results.hidden));
    if (found.length) input.setAttribute("aria-activedescendant", `result-${at}`);
    else input.removeAttribute("aria-activedescendant");
  }

  private line(one: Found, place: number): HTMLElement {
    const line = element("div", [element("span", one.text), element("span", one.what, "sub")]);
    line.id = `result-${place}`;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", String(place === this.at));
    line.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.take(one);
    });
    return line;
  }

  private close(): void {
    this.results.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}

/** Items with the text in their name; matches at the beginning come first. */
export function matches(context: Context, text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { axes } = context.run;
  const all: Found[] = [];
  const add = (what: string, names: readonly string[], go: (place: number) => void, asked = wanted) => {
    names.forEach((name, place) => {
      if (name.toLowerCase().includes(asked))
        all.push({
          text: name,
          what,
          go: () => {
            go(place);
          },
        });
    });
  };
  const there = PAGES.filter((page) => page.there?.(context) ?? true);
  add(
    "page",
    there.map(({ title }) => title),
    (place) => {
      context.change({ page: there[place].name });
    },
  );
  const calls = calledProcedures(context.run);
  // The report has names without MPI_.
  const call = wanted.replace(/^p?mpi_/, "");
  add(
    "call",
    calls,
    (place) => {
      context.filter({ procedure: calls[place] });
    },
    call,
  );
  const families = familiesOf(axes).filter(({ members }) => members.length > 1);
  add(
    "family",
    families.map(({ name, members }) => `${name} (${members.length} communicators)`),
    (place) => {
      context.filter({ communicator: families[place].name });
    },
  );
  add("communicator", axes.communicators.label, (place) => {
    context.filter({ communicator: axes.communicators.name[place] });
  });
  add("node", axes.hosts, (place) => {
    context.filter({ node: axes.hosts[place] });
  });
  const regions = regionOptions(axes.regions);
  add(
    "region",
    regions.map(({ text }) => text),
    (place) => {
      context.filter({ region: regions[place].value });
    },
  );
  add("call site", axes.sites, (place) => {
    context.filter({ site: axes.sites[place] });
  });
  const libraries = context.run.sites?.libraries.name ?? [];
  add("library", libraries, (place) => {
    const options = new Map([...context.state.options, [LIBRARY, libraries[place]]]);
    context.change({ page: "sites", options }, true);
  });
  const rank = /^(?:rank\s*)?(\d{1,9})$/.exec(wanted)?.[1];
  if (rank && Number(rank) < axes.ranks)
    all.unshift({
      text: `rank ${Number(rank)}`,
      what: "rank",
      go: () => {
        context.filter({ ranks: String(Number(rank)) });
      },
    });
  const start = ({ text: of, what }: Found) =>
    Number(!of.toLowerCase().startsWith(what === "call" ? call : wanted));
  return all.sort((one, other) => start(one) - start(other)).slice(0, MOST);
}
