/** The hottest links, and the causes of their load. */
import { element, row, short } from "../ui/dom.ts";
import { pickable, tableOf } from "../ui/rows.ts";
import { percentText, ratioText } from "../units.ts";
import { causesOf, SLOW } from "./facts.ts";
import { ALL, BETWEEN, type Choice, SLOW_ONES } from "./state.ts";
import { isHot, isLooked, type View } from "./view.ts";

const MOST = 50;

export interface HotLink {
  rail: number;
  link: number;
  value: number;
}

/** Return the links with the highest loads among the shown ones; the hottest first. Slow ones may be idle. */
export function hottest(view: View, most = MOST): HotLink[] {
  const wanted = view.state.class;
  const found: HotLink[] = [];
  view.values.forEach((values, place) => {
    const rail = view.network.rails[place];
    const { class: classOf, source, destination } = rail.data.links;
    values.forEach((value, link) => {
      const inside = source[link] < rail.switches && destination[link] < rail.switches;
      const slow = wanted === SLOW_ONES && rail.isSlow(link);
      const looked = wanted === ALL || slow || (wanted === BETWEEN ? inside : classOf[link] === wanted);
      if ((value > 0 || slow) && looked && isLooked(view, link, rail))
        found.push({ rail: place, link, value });
    });
  });
  return found
    .sort((one, other) => other.value - one.value || one.rail - other.rail || one.link - other.link)
    .slice(0, most);
}

export function hotTable(view: View, choose: (choice: Choice) => void): HTMLElement {
  const links = hottest(view);
  const { network, state } = view;
  const several = network.rails.length > 1;
  const lines: HTMLElement[] = [];
  for (const { rail, link, value } of links) {
    const one = network.rails[rail];
    const facts = view.classes[rail].find((fact) => fact.class === one.data.links.class[link]);
    const causes = causesOf(view, rail, [link]);
    const why = causes
      .slice(0, 2)
      .map(([cause, part]) => `${percentText(part)} ${network.data.causes[cause]}`);
    const more = causes.length > 2 ? `, ${causes.length - 2} more` : "";
    const where = [
      several ? one.data.name : "",
      network.data.classes[one.data.links.class[link]],
      one.rateText(link),
    ].filter(Boolean);
    const name = element("div", short(one.linkName(link), 64));
    if (isHot(view, link, rail)) name.prepend(element("span", [], "dot hot"));
    const because = why.length ? `: ${why.join(", ")}${more}` : "";
    const what = element("div", [name, element("div", `${where.join(", ")}${because}`, "sub")]);
    if (one.isSlow(link)) what.append(element("div", `The cable is ${SLOW}.`, "sub slow"));
    const ratio = facts && facts.mean > 0 ? `${ratioText(value / facts.mean)} ×` : "–";
    const line = row([what, view.text(value), ratio]);
    line.className = "pick";
    line.dataset.key = `hot ${rail} ${link}`;
    line.title = one.linkName(link);
    const chosen =
      state.choice.kind === "links" && state.choice.rail === rail && state.choice.links.includes(link);
    if (chosen) line.classList.add("now");
    line.setAttribute("aria-selected", String(chosen));
    pickable(line, () => {
      choose(chosen ? { kind: "none" } : { kind: "links", rail, links: [link] });
    });
    lines.push(line);
  }
  return lines.length
    ? tableOf(row(["link", "load", "of the mean"], 1, true), lines)
    : element("p", "No link carries any of the selected traffic.", "none");
}
