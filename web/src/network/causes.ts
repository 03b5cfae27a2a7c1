/** Communicators and calls: the amount that each sends over the network, and its part that loads the chosen links. */
import { element, row } from "../ui/dom.ts";
import { pickable, tableOf } from "../ui/rows.ts";
import { percentText } from "../units.ts";
import { amountText } from "./facts.ts";
import type { Choice } from "./state.ts";
import type { View } from "./view.ts";

/** Return the amount that each group sends over the network. */
export function groupSums(view: View): Float64Array {
  const sums = new Float64Array(view.network.groups);
  const { group } = view.flows.data;
  const amounts = view.flows.data[view.measure];
  for (let entry = 0; entry < group.length; entry++)
    if (view.mask[group[entry]]) sums[group[entry]] += amounts[entry];
  return sums;
}

interface Row {
  name: string;
  groups: number[];
  /** A communicator of the cause in the row above. */
  inner: boolean;
}

/** Return a row for each cause, and below the chosen one a row for each of its communicators. */
function rowsOf(view: View, shown: Float64Array): Row[] {
  const { network, state } = view;
  const sum = (groups: number[]) => groups.reduce((whole, group) => whole + shown[group], 0);
  const rows = network.data.causes.map((name, cause) => ({
    name,
    groups: network.groupsOf(cause),
    inner: false,
  }));
  rows.sort((one, other) => sum(other.groups) - sum(one.groups));
  const chosen = state.choice.kind === "groups" ? state.choice.groups : [];
  return rows.flatMap((one) => {
    if (one.groups.length < 2 || !chosen.some((group) => one.groups.includes(group))) return [one];
    const inner = one.groups.map((group) => ({
      name: network.groupName(group),
      groups: [group],
      inner: true,
    }));
    return [one, ...inner];
  });
}

export function causesTable(view: View, choose: (choice: Choice) => void): HTMLElement {
  const { state, lit } = view;
  const sums = groupSums(view);
  const shown = lit ? lit.groups : sums;
  const added = (amounts: Float64Array, groups: number[]) =>
    groups.reduce((whole, group) => whole + amounts[group], 0);
  const whole = shown.reduce((sum, amount) => sum + amount, 0) || 1;
  const rows = rowsOf(view, state.choice.kind === "groups" ? sums : shown).filter(
    ({ groups }) => added(sums, groups) > 0,
  );
  if (!rows.length) return element("p", "None of the selected traffic passes over the network.", "none");
  const heads = lit
    ? ["communicator and call", "of the selection", "all"]
    : ["communicator and call", "over the network"];
  const lines: HTMLElement[] = [];
  const now = state.choice.kind === "groups" ? state.choice.groups.join() : "";
  for (const { name, groups, inner } of rows) {
    const part = added(shown, groups) / whole;
    const fill = element("span");
    fill.style.width = `${100 * part}%`;
    const title = element("div", [name, element("span", [fill], "bar")], inner ? "inner" : "");
    const amount = `${amountText(view, added(shown, groups))} (${percentText(part)})`;
    const line = row(lit ? [title, amount, amountText(view, added(sums, groups))] : [title, amount]);
    const chosen = groups.join() === now;
    line.className = chosen ? "pick now" : "pick";
    line.dataset.key = `groups ${groups.join()} ${inner ? "inner" : ""}`;
    line.setAttribute("aria-selected", String(chosen));
    pickable(line, () => {
      choose(chosen ? { kind: "none" } : { kind: "groups", groups });
    });
    lines.push(line);
  }
  return tableOf(row(heads, 1, true), lines);
}
