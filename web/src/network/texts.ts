/** What is said above and below the figures. */
import type { Figure } from "../ui/figure.ts";
import { betweenLevels, heaviestCause, heaviestLink, heaviestPair, leastEven } from "./findings.ts";
import { hottest } from "./hot_links.ts";
import type { View } from "./view.ts";

export type FigureName = "levels" | "hot" | "chosen" | "matrices" | "ranks" | "causes" | "spread";

const BLOCKS = "flows are known by blocks of ranks, and shared out by the number of their pairs";

export function tell(figures: Record<FigureName, Figure>, view: View): void {
  const { flows } = view;
  const { data } = view.network;
  const [first] = hottest(view, 1);
  const looked = view.part.name && ` (${view.part.name})`;
  const onRail = view.network.rails.length > 1 && view.rail.data.name ? `, on ${view.rail.data.name}` : "";
  figures.levels.title.textContent = view.lit
    ? `Where it goes: ${view.lit.name}`
    : `${heaviestLink(view)}${onRail}${looked}`;
  figures.levels.caption.textContent =
    `Hosts at the bottom, switches above; parallel links are one line, thicker, in the colour of the one that carries most. ` +
    "Directions are never added up." +
    (view.lit?.partial ? " There are many flows: the ways of some are lit." : "") +
    (view.lit?.estimated.links ? ` What of the chosen goes over a link is estimated: ${BLOCKS}.` : "");
  figures.hot.title.textContent =
    (first as unknown) === undefined ? "No link is used" : `Hottest: ${view.text(first.value)}${looked}`;
  figures.hot.caption.textContent =
    "Beside the load: what it is of the mean of the used links of its class. Below: what causes it.";
  figures.chosen.title.textContent = view.lit ? "Chosen" : "Nothing is chosen";
  figures.chosen.caption.textContent = view.lit?.estimated.cells
    ? `What of each pair belongs to it is estimated: ${BLOCKS}.`
    : "";
  figures.matrices.title.textContent = view.lit
    ? `Between levels: ${view.lit.name}`
    : `${betweenLevels(view)}${onRail}${looked}`;
  figures.matrices.caption.textContent =
    "A cell is the most loaded of the parallel links between two switches. Grey: a link that carries nothing; empty: no link.";
  figures.ranks.title.textContent = view.lit ? `Ranks: ${view.lit.name}` : `${heaviestPair(view)}${looked}`;
  const blocks = flows.data.together;
  figures.ranks.caption.textContent =
    "Who sends how much to whom: from row to column, between different hosts; colours are logarithmic." +
    (blocks > 1
      ? ` Each cell: the sum of ${blocks} × ${blocks} pairs; what of it goes through a link is estimated by the number of its pairs.`
      : "") +
    " Where a pixel has several cells, it shows the largest.";
  figures.causes.title.textContent = view.lit
    ? `Causes: ${view.lit.name}`
    : `${heaviestCause(view)}${looked}`;
  figures.causes.caption.textContent = "What each communicator and call sends over the network.";
  figures.causes.use.textContent = "Choosing one lights its links and its rank pairs.";
  figures.spread.title.textContent = `${leastEven(view)}${onRail}${looked}`;
  figures.spread.caption.textContent =
    "How loads are spread in each class: how many links (upwards, logarithmic) have which load; those without any are left out." +
    (view.lit ? " Coloured: those that what is chosen loads." : "") +
    " The bound: what must leave or enter a part of the fabric, or take shortest ways, shared out evenly among the links of the class there: with these places of the ranks no routes make the most loaded link carry less. " +
    data.captions.join(". ");
}
