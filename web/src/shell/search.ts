/** Finds pages, communicators, calls, nodes, regions and ranks by their names. */
import { element } from "../ui/dom.ts";
import type { Context } from "./context.ts";
import { PAGES } from "./pages.ts";

interface Found {
  text: string;
  what: string;
  go: () => void;
}

const MOST = 12;

export function search(context: Context): HTMLElement {
  const input = element("input");
  input.type = "search";
  input.id = "search";
  input.placeholder = "Find a call, a communicator, a rank …";
  input.autocomplete = "off";
  const results = element("div", [], "results");
  results.id = "results";
  results.hidden = true;
  results.setAttribute("role", "listbox");
  results.setAttribute("aria-label", "what was found");
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-label": "search",
    "aria-controls": results.id,
    "aria-expanded": "false",
    "aria-autocomplete": "list",
  }))
    input.setAttribute(name, value);
  let found: Found[] = [];
  let at = 0;
  const close = () => {
    results.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (one: Found | undefined) => {
    if (!one) return;
    input.value = "";
    close();
    one.go();
  };
  const show = () => {
    results.replaceChildren(
      ...found.map((one, place) => {
        const line = element("div", [element("span", one.text), element("span", one.what, "sub")]);
        line.id = `result-${place}`;
        line.setAttribute("role", "option");
        line.setAttribute("aria-selected", String(place === at));
        line.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(one);
        });
        return line;
      }),
    );
    if (!found.length) results.replaceChildren(element("div", "Nothing has this name.", "none"));
    results.hidden = input.value.trim() === "";
    input.setAttribute("aria-expanded", String(!results.hidden));
    if (found.length) input.setAttribute("aria-activedescendant", `result-${at}`);
  };
  input.addEventListener("input", () => {
    found = matches(context, input.value);
    at = 0;
    show();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") take(found.at(at));
    else if (event.key === "ArrowDown") at = Math.min(at + 1, found.length - 1);
    else if (event.key === "ArrowUp") at = Math.max(at - 1, 0);
    else if (event.key === "Escape") input.value = "";
    else return;
    event.preventDefault();
    event.stopPropagation();
    show();
  });
  return element("div", [input, results], "search");
}

function matches(context: Context, text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { axes } = context.run;
  const all: Found[] = [];
  const add = (what: string, names: string[], go: (place: number) => void) => {
    names.forEach((name, place) => {
      if (name.toLowerCase().includes(wanted))
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
  add("call", axes.procedures.name, (place) => {
    context.filter({ procedure: axes.procedures.name[place] });
  });
  add("communicator", axes.communicators.label, (place) => {
    context.filter({ communicator: axes.communicators.name[place] });
  });
  add("node", axes.hosts, (place) => {
    context.filter({ node: axes.hosts[place] });
  });
  add("region", axes.regions.name, (place) => {
    context.filter({ region: axes.regions.name[place] });
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
  const start = (one: Found) => Number(!one.text.toLowerCase().startsWith(wanted));
  return all.sort((one, other) => start(one) - start(other)).slice(0, MOST);
}
