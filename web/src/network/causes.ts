/** Communicators and calls: how much each sends over the network, and how much of it loads what was chosen. */
import { element, row } from "../ui/dom.ts";
import { percentText } from "../units.ts";
import { amountText } from "./facts.ts";
import { pickable } from "./hot_links.ts";
import type { Choice } from "./state.ts";
import type { View } from "./view.ts";

/** Return what each group sends over the network. */
export function groupSums(view: View): Float64Array {
  const sums = new Float64Array(view.network.groups);
  const { group } = view.flows.data;
  const amounts = view.flows.data[view.measure];
  for (let entry = 0; entry < group.length; entry++)
    if (view.mask[group[entry]]) sums[group[entry]] += amounts[entry];
  return sums;
}

export function causesTable(view: View, choose: (choice: Choice) => void): HTMLElement {
  const { network, state, lit } = view;
  const sums = groupSums(view);
  const shown = lit ? lit.groups : sums;
  const whole = shown.reduce((sum, amount) => sum + amount, 0) || 1;
  const order = [...sums.keys()]
    .filter((group) => sums[group] > 0)
    .sort((one, other) => shown[other] - shown[one] || sums[other] - sums[one]);
  if (!order.length) return element("p", "Nothing of what is looked at goes over the network.", "none");
  const heads = lit
    ? ["communicator and call", "of what is chosen", "all"]
    : ["communicator and call", "over the network"];
  const body = element("tbody");
  for (const group of order) {
    const part = shown[group] / whole;
    const fill = element("span");
    fill.style.width = `${100 * part}%`;
    const name = element("div", [network.groupName(group), element("span", [fill], "bar")]);
    const amount = `${amountText(view, shown[group])} (${percentText(part)})`;
    const line = row(lit ? [name, amount, amountText(view, sums[group])] : [name, amount]);
    line.className = "pick";
    line.tabIndex = 0;
    line.dataset.key = `group ${group}`;
    const chosen = state.choice.kind === "groups" && state.choice.groups.includes(group);
    if (chosen) line.classList.add("now");
    line.setAttribute("aria-selected", String(chosen));
    pickable(line, () => {
      choose(chosen ? { kind: "none" } : { kind: "groups", groups: [group] });
    });
    body.append(line);
  }
  return element("table", [element("thead", row(heads, 1, true)), body]);
}
