/** The current choice, and the rank pairs behind it. */
import type { Filter } from "../shell/state.ts";
import { button, element, row } from "../ui/dom.ts";
import { pickable, tableOf } from "../ui/rows.ts";
import { factsTable } from "../ui/tip.ts";
import { countOf, percentText } from "../units.ts";
import { amountText, linkRows } from "./facts.ts";
import type { Choice } from "./state.ts";
import { isHot, type View } from "./view.ts";

const MOST_PAIRS = 12;
const HELP =
  "Select a link, a switch, a host, a cell of a matrix, a call or a bar of a histogram: all figures show its part.";

export function chosenPart(
  view: View,
  choose: (choice: Choice) => void,
  narrow: (filter: Partial<Filter>) => void,
): Node[] {
  const { state, lit } = view;
  const { choice } = state;
  if (!lit) return [element("p", HELP, "none")];
  const parts: Node[] = [element("h3", lit.name)];
  if (choice.kind === "links") parts.push(...linkPart(view, choice.rail, choice.links, choose));
  parts.push(pairsPart(view, choose));
  // Highlights by filters can only be cleared in the filters.
  if (choice.kind === "none") return parts;
  const buttons = [
    button("clear the selection", () => {
      choose({ kind: "none" });
    }),
  ];
  if (choice.kind === "groups")
    buttons.push(
      button("only this on all pages", () => {
        narrow(filterOf(view, choice.groups));
      }),
    );
  for (const one of buttons) one.className = "plain";
  parts.push(element("div", buttons, "siblings"));
  return parts;
}

/** Return the filters that choose the communicator, or the family, and the call of some groups. */
function filterOf(view: View, chosen: number[]): Partial<Filter> {
  const { groups, communicators, families, familyOf, procedures } = view.network.data;
  const [first] = chosen;
  const one = groups.communicator[first];
  const alone = chosen.every((group) => groups.communicator[group] === one);
  const name = alone ? communicators.name[one] : "";
  const procedure = procedures[groups.procedure[first]];
  return {
    communicator: name || families[familyOf[one]],
    // Messages with an unknown call belong to no call that could be chosen.
    procedure: procedure.startsWith("(") ? "" : procedure,
  };
}

function linkPart(view: View, place: number, links: number[], choose: (choice: Choice) => void): Node[] {
  if (links.length > 1) return [];
  const [link] = links;
  const rail = view.network.rails[place];
  const bundle = rail.bundles[rail.bundleOf[link]];
  const parts: Node[] = [factsTable(linkRows(view, place, link))];
  if (isHot(view, link, place))
    parts.push(
      element(
        "p",
        "It carries much more than other links of its class, and much more than necessary: other routes or another placement of the ranks may help.",
        "caption",
      ),
    );
  const others = [...bundle.up, ...bundle.down].filter((other) => other !== link);
  const list = element("div", [], "siblings");
  for (const other of others.slice(0, 12)) {
    const way = bundle.up.includes(other) === bundle.up.includes(link) ? "parallel" : "back";
    const made = button(`${way}: ${view.text(view.values[place][other])}`, () => {
      choose({ kind: "links", rail: place, links: [other] });
    });
    made.className = "plain";
    made.title = rail.linkName(other);
    list.append(made);
  }
  parts.push(list);
  return parts;
}

function pairsPart(view: View, choose: (choice: Choice) => void): Node {
  const { lit, flows, state } = view;
  const cells = lit?.cells ?? view.cells;
  const used: number[] = [];
  cells.forEach((amount, cell) => {
    if (amount > 0) used.push(cell);
  });
  if (!used.length) return element("p", missingPairs(view), "none");
  const whole = used.reduce((sum, cell) => sum + cells[cell], 0);
  used.sort((one, other) => cells[other] - cells[one] || one - other);
  const lines: HTMLElement[] = [];
  for (const cell of used.slice(0, MOST_PAIRS)) {
    const [from, to] = [flows.row[cell], flows.column[cell]];
    const [one, other] = [flows.hostName(from), flows.hostName(to)];
    const name = element("div", [
      `${flows.blockName(from)} → ${flows.blockName(to)}`,
      element("div", `${one} → ${other}`, "sub"),
    ]);
    const line = row([name, amountText(view, cells[cell]), percentText(cells[cell] / whole)]);
    line.dataset.key = `pair ${cell}`;
    const chosen = state.choice.kind === "cell" && state.choice.row === from && state.choice.column === to;
    line.className = chosen ? "pick now" : "pick";
    pickable(line, () => {
      choose(chosen ? { kind: "none" } : { kind: "cell", row: from, column: to });
    });
    lines.push(line);
  }
  const pairs = `${countOf(used.length, "pair")} of ${flows.data.together > 1 ? "blocks of ranks" : "ranks"}`;
  const head = row([pairs, lit?.estimated.cells ? "estimated" : "amount", "share"], 1, true);
  return element("div", tableOf(head, lines), "scroll pairs");
}

function missingPairs(view: View): string {
  return view.rail.data.forward
    ? "No selected flows."
    : "The forwarding tables are too large for this page: the rank pairs of a link are unknown here.";
}
