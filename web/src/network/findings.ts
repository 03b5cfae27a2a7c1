/** The titles of figures while nothing is chosen: the findings, with their numbers. */
import { byteText, countOf, percentText, ratioText } from "../units.ts";
import { groupSums } from "./causes.ts";
import { classesOf } from "./histograms.ts";
import { pairOf } from "./level_matrices.ts";
import { type ClassFacts, highest } from "./model.ts";
import { isLooked, type View } from "./view.ts";

/**
 * Name the link of the rail with the highest load, and its ratio to the mean: of links between switches if possible.
 */
export function heaviestLink(view: View): string {
  const { rail, state } = view;
  const { source, destination } = rail.data.links;
  const values = view.values[state.rail];
  const inside = (link: number) => source[link] < rail.switches && destination[link] < rail.switches;
  let best = -1;
  for (let link = 0; link < rail.links; link++) {
    if (!(values[link] > 0) || !isLooked(view, link)) continue;
    const same = best >= 0 && inside(link) === inside(best);
    if (best < 0 || (same ? values[link] > values[best] : inside(link))) best = link;
  }
  if (best < 0) return "No link carries anything";
  const facts = factsOf(view, rail.data.links.class[best]);
  const among = inside(best) ? "Between switches" : "No link between switches is used; among the others";
  const amount = state.unit === "ratio" ? "" : `${loadText(view, values[best])}, `;
  const ratio = `${ratioText(values[best] / (facts?.mean ?? 1))} × the mean of its class`;
  return `${among}, ${rail.linkName(best)} ${verb(view)} ${state.unit === "seconds" ? "longest" : "most"}: ${amount}${ratio}`;
}

/** State the load of the most loaded link between two levels, in each direction. */
export function betweenLevels(view: View): string {
  const pair = pairOf(view);
  if (!pair) return "";
  const [low, high] = pair;
  const { rail, state } = view;
  const values = view.values[state.rail];
  const most = { up: 0, down: 0 };
  for (const bundle of rail.bundles) {
    if (rail.level[bundle.low] !== low || rail.level[bundle.high] !== high) continue;
    for (const way of ["up", "down"] as const)
      most[way] = Math.max(most[way], ...bundle[way].map((link) => values[link]));
  }
  if (low === high)
    return `A link between switches${rail.data.topology ? "" : ` of level ${low}`} ${verb(view)} ${loadText(view, Math.max(most.up, most.down))} at most`;
  const up = most.up ? loadText(view, most.up) : "nothing";
  const down = most.down ? loadText(view, most.down) : "nothing";
  return `Between levels ${low} and ${high} a link ${verb(view)} ${up} at most upwards, ${down} downwards`;
}

/** Name the pair of ranks that sends most over the network. */
export function heaviestPair(view: View): string {
  const { flows, cells } = view;
  const most = highest(cells);
  if (!most) return "No rank sends data over the network";
  const cell = cells.indexOf(most);
  const [from, to] = [flows.row[cell], flows.column[cell]].map((block) => flows.blockName(block));
  const whole = cells.reduce((sum, amount) => sum + amount, 0);
  return `Most network traffic goes from ${from} to ${to}: ${amountOf(view, most)}, ${percentText(most / whole)} of all`;
}

/** Name the communicator and call that sends most over the network. */
export function heaviestCause(view: View): string {
  const sums = groupSums(view);
  const whole = sums.reduce((sum, amount) => sum + amount, 0);
  if (!whole) return "No call sends data over the network";
  const { causes, groups } = view.network.data;
  const ofCauses = new Float64Array(causes.length);
  sums.forEach((amount, group) => {
    ofCauses[groups.cause[group]] += amount;
  });
  const most = highest(ofCauses);
  return `${causes[ofCauses.indexOf(most)]} sends ${percentText(most / whole)} of the ${view.measure} over the network`;
}

/** Name the class with the most uneven loads. */
export function leastEven(view: View): string {
  const uneven = (facts: ClassFacts) => (facts.mean > 0 ? facts.most / facts.mean : 0);
  const [worst] = classesOf(view).sort((one, other) => uneven(other) - uneven(one));
  if ((worst as unknown) === undefined || !uneven(worst)) return "No link carries anything";
  const used = `${worst.used} of ${countOf(worst.links, "link")} ${worst.used === 1 ? "is" : "are"} used`;
  return `${worst.name}: ${used}, the most loaded ${verb(view)} ${ratioText(uneven(worst))} × the mean`;
}

function factsOf(view: View, number: number): ClassFacts | undefined {
  return view.classes[view.state.rail].find((facts) => facts.class === number);
}

function verb(view: View): string {
  return view.state.unit === "seconds" ? "takes" : "carries";
}

/** A load in the unit, with its name if the unit has none. */
function loadText(view: View, value: number): string {
  if (view.state.unit === "ratio") return `${view.text(value)} the mean of its class`;
  return view.state.unit === "messages" ? countOf(Math.round(value), "message") : view.text(value);
}

function amountOf(view: View, amount: number): string {
  return view.measure === "bytes" ? byteText(amount) : countOf(Math.round(amount), "message");
}
