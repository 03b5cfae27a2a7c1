/** Facts about links, switches and hosts. */
import type { Facts } from "../ui/tip.ts";
import { byteText, countText, percentText, ratioText, secondText } from "../units.ts";
import { linksOf, type View } from "./view.ts";

export const SLOW = "slower than its parallels";

/** The causes that load links, the largest first, and their parts. */
export function causesOf(
  view: View,
  rail: number,
  links: readonly number[],
): [cause: number, part: number][] {
  const sums = new Map<number, number>();
  const one = view.network.rails[rail];
  const causeOf = view.network.data.groups.cause;
  for (const link of links)
    one.causes(link, view.measure, (group, amount) => {
      if (view.mask[group]) sums.set(causeOf[group], (sums.get(causeOf[group]) ?? 0) + amount);
    });
  const whole = [...sums.values()].reduce((sum, amount) => sum + amount, 0);
  return [...sums]
    .sort(([, amount], [, other]) => other - amount)
    .map(([cause, amount]): [number, number] => [cause, amount / (whole || 1)]);
}

export function linkRows(view: View, place: number, link: number): [string, string][] {
  const rail = view.network.rails[place];
  const { rate, class: classOf } = rail.data.links;
  const [bytes, messages] = (["bytes", "messages"] as const).map((of) => {
    let sum = 0;
    rail.causes(link, of, (group, amount) => {
      if (view.mask[group]) sum += amount;
    });
    return sum;
  });
  const facts = view.classes[place].find((fact) => fact.class === classOf[link]);
  const value = view.values[place][link];
  const rows: [string, string][] = [
    ["class", view.network.data.classes[classOf[link]]],
    ["bytes", byteText(bytes)],
    ["messages", countText(messages)],
  ];
  if (rail.rateText(link)) rows.push(["rate", rail.rateText(link)]);
  if (rail.isSlow(link)) rows.push(["cable", SLOW]);
  if (!Number.isNaN(rate[link])) rows.push(["at its full rate", secondText(bytes / rate[link])]);
  if (facts && facts.mean > 0) rows.push(["of the mean of its class", `${ratioText(value / facts.mean)} ×`]);
  if (facts && facts.bound > 0)
    rows.push(["of the bound of its class", `${ratioText(value / facts.bound)} ×`]);
  return rows;
}

export function bundleFacts(view: View, place: number): Facts {
  const { rail, state } = view;
  const bundle = rail.bundles[place];
  const links = linksOf(view, bundle).sort(
    (one, other) => view.values[state.rail][other] - view.values[state.rail][one],
  );
  const name = (link: number) => {
    const port =
      rail.data.links.source[link] < rail.switches ? `port ${rail.data.links.sourcePort[link]}` : "";
    const way = rail.way[link];
    const head = way ? (way > 0 ? "up" : "down") : `to ${rail.name(rail.data.links.destination[link])}`;
    return `${head} ${port}`.trim();
  };
  const causes = causesOf(view, state.rail, links.slice(0, 1));
  const rows = links
    .slice(0, 8)
    .map((link): [string, string] => [
      name(link),
      [view.text(view.values[state.rail][link]), rail.rateText(link), rail.isSlow(link) ? SLOW : ""]
        .filter(Boolean)
        .join(", "),
    ]);
  if (view.lit)
    rows.push([
      `of the selection${view.lit.estimated.links ? ", estimated" : ""}`,
      amountText(view, largestLit(view, links)),
    ]);
  for (const [group, part] of causes.slice(0, 2))
    rows.push([view.network.groupName(group), percentText(part)]);
  return {
    head: `${rail.name(bundle.low)} – ${rail.name(bundle.high)}`,
    note: bundle.up.length > 1 ? `${bundle.up.length} parallel links` : "one link, both ways",
    rows,
  };
}

function largestLit(view: View, links: readonly number[]): number {
  return Math.max(0, ...links.map((link) => view.lit?.links[view.state.rail][link] ?? 0));
}

export function amountText(view: View, amount: number): string {
  return view.measure === "bytes" ? byteText(amount) : countText(amount);
}

export function nodeFacts(view: View, end: number): Facts {
  const { rail, state } = view;
  const values = view.values[state.rail];
  const { source, destination } = rail.data.links;
  let [sent, got, most] = [0, 0, 0];
  for (let link = 0; link < rail.links; link++) {
    if (source[link] !== end && destination[link] !== end) continue;
    most = Math.max(most, values[link]);
    if (source[link] === end) sent += view.amounts[state.rail][link];
    else got += view.amounts[state.rail][link];
  }
  const rows: [string, string][] = [
    ["sends", amountText(view, sent)],
    ["gets", amountText(view, got)],
    ["its hottest link", view.text(most)],
  ];
  if (end < rail.switches) return { head: rail.name(end), note: `switch, ${rail.placeText(end)}`, rows };
  const { width, port } = rail.data.places;
  const ranks: number[] = [];
  port.forEach((one: number, at: number) => {
    if (one === end - rail.switches) ranks.push(Math.floor(at / width));
  });
  const named =
    ranks.length > 12 ? `${ranks.slice(0, 12).join(", ")}, … (${ranks.length})` : ranks.join(", ");
  return { head: rail.name(end), note: `ranks ${named}`, rows };
}
