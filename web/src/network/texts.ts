/** The texts above and below the figures. */
import type { Figure } from "../ui/figure.ts";
import { betweenLevels, heaviestCause, heaviestLink, heaviestPair, leastEven } from "./findings.ts";
import { hottest } from "./hot_links.ts";
import type { View } from "./view.ts";

export type FigureName = "levels" | "hot" | "chosen" | "matrices" | "ranks" | "causes" | "spread";

const BLOCKS = "flows are known by blocks of ranks, and distributed by the number of pairs";

export function tell(figures: Record<FigureName, Figure>, view: View): void {
  const { flows } = view;
  const { data } = view.network;
  const [first] = hottest(view, 1);
  const looked = view.part.name && ` (${view.part.name})`;
  const onRail = view.network.rails.length > 1 && view.rail.data.name ? `, on ${view.rail.data.name}` : "";
  figures.levels.title.textContent = view.lit
    ? `Routes of ${view.lit.name}`
    : `${heaviestLink(view)}${onRail}${looked}`;
  figures.levels.caption.textContent =
    `Hosts at the bottom, switches above; parallel links are one thicker line, in the colour of the most loaded one. ` +
    "Directions are never added up." +
    (view.lit?.partial ? " There are many flows: only some routes are highlighted." : "") +
    (view.lit?.estimated.links ? ` The part of the selection on each link is estimated: ${BLOCKS}.` : "");
  figures.hot.title.textContent =
    (first as unknown) === undefined ? "No link is used" : `Hottest: ${view.text(first.value)}${looked}`;
  figures.hot.caption.textContent =
    "Next to the load: its ratio to the mean of the used links of its class. Below: its causes.";
  figures.chosen.title.textContent = view.lit ? "Chosen" : "Nothing is selected";
  figures.chosen.caption.textContent = view.lit?.estimated.cells
    ? `The part of each pair is estimated: ${BLOCKS}.`
    : "";
  figures.matrices.title.textContent = view.lit
    ? `Between ${view.rail.data.topology ? "switches" : "levels"}: ${view.lit.name}`
    : `${betweenLevels(view)}${onRail}${looked}`;
  figures.matrices.caption.textContent =
    "A cell is the most loaded of the parallel links between two switches. Grey: an unused link; empty: no link.";
  figures.ranks.title.textContent = view.lit ? `Ranks: ${view.lit.name}` : `${heaviestPair(view)}${looked}`;
  const blocks = flows.data.together;
  figures.ranks.caption.textContent =
    "Traffic from row to column, between different hosts; colours are logarithmic." +
    (blocks > 1
      ? ` Each cell: the sum of ${blocks} × ${blocks} pairs; its part on a link is estimated from the number of pairs.`
      : "") +
    " Where a pixel has several cells, it shows the largest.";
  figures.causes.title.textContent = view.lit
    ? `Causes: ${view.lit.name}`
    : `${heaviestCause(view)}${looked}`;
  figures.causes.caption.textContent = "Traffic of each communicator and call over the network.";
  figures.causes.use.textContent = "Select one to highlight its links and rank pairs.";
  figures.spread.title.textContent = `${leastEven(view)}${onRail}${looked}`;
  figures.spread.caption.textContent =
    "Distribution of loads in each class: number of links (vertical, logarithmic) by load; unused links are not shown." +
    (view.lit ? " Coloured: links loaded by the selection." : "") +
    " The bound: traffic that must leave or enter a part of the fabric, or use its shortest paths, distributed evenly over the links of the class there. With this placement of the ranks, no routing gives the most loaded link less. " +
    `${data.captions.join(". ")}.`;
}
