/** The data that all figures show for a state: loads in the unit, and the amounts related to the choice. */
import { type Theme, theme } from "../ui/colours.ts";
import { byteText, countText, ratioText, secondText } from "../units.ts";
import type { Flows } from "./flows.ts";
import {
  boundsOf,
  type Bundle,
  type ClassFacts,
  classFacts,
  highest,
  type Network,
  type Rail,
} from "./model.ts";
import type { Part } from "./part.ts";
import type { State, Unit } from "./state.ts";

/** Routes of at most this many rank pairs are followed to show the other links of the flows through a link. */
const MOST_WAYS = 50_000;
/** A link carries too much if it is this much above the bound of its class, and above the mean of the used ones. */
export const EXCESS = 1.5;

/** Amounts related to the choice. */
export interface Lit {
  name: string;
  /** By rail, for each link, and the maximum: among the links that were not chosen themselves, if there are any. */
  links: Float64Array[];
  most: number[];
  /** Of each cell of the flows. */
  cells: Float64Array;
  groups: Float64Array;
  /** There are more flows than those whose routes are highlighted. */
  partial: boolean;
  /** Amounts of links and cells are estimated: it is not known which pairs of two blocks send how much. */
  estimated: { links: boolean; cells: boolean };
}

export interface View {
  state: State;
  part: Part;
  network: Network;
  flows: Flows;
  rail: Rail;
  mask: Uint8Array;
  measure: "bytes" | "messages";
  /** By rail: bytes or messages of each link, and the same in the unit. */
  amounts: Float64Array[];
  values: Float64Array[];
  /** By rail, in the unit. */
  classes: ClassFacts[][];
  /** For the rail that is shown. */
  most: number;
  /** Of each cell of the flows. */
  cells: Float64Array;
  lit: Lit | null;
  theme: Theme;
  text: (value: number) => string;
}

const TEXTS: Record<Unit, (value: number) => string> = {
  bytes: byteText,
  messages: countText,
  seconds: secondText,
  ratio: (value) => `${ratioText(value)} ×`,
};

export function viewOf(network: Network, flows: Flows, state: State, part: Part): View {
  if (!network.rails[state.rail].upright) state = { ...state, direction: "larger" };
  const mask = part.groups;
  const measure = state.unit === "messages" ? "messages" : "bytes";
  const amounts = network.rails.map((rail) => rail.sums(measure, mask));
  const inUnits = network.rails.map((rail, place) => inUnit(network, rail, amounts[place], state.unit, mask));
  const values = inUnits.map(([found]) => found);
  const classes = inUnits.map(([, facts]) => facts);
  const view: View = {
    state,
    part,
    network,
    flows,
    rail: network.rails[state.rail],
    mask,
    measure,
    amounts,
    values,
    classes,
    most: highest(values[state.rail]),
    cells: flows.cells(measure, mask),
    lit: null,
    theme: theme(),
    text: TEXTS[state.unit],
  };
  view.lit = litBy(view);
  return view;
}

function inUnit(
  network: Network,
  rail: Rail,
  amounts: Float64Array,
  unit: Unit,
  mask: Uint8Array,
): [Float64Array, ClassFacts[]] {
  const names = network.data.classes;
  const { rate, class: classOf } = rail.data.links;
  const bounds = boundsOf(rail, unit === "messages" ? "messages" : "bytes", mask, names.length);
  if (unit === "seconds") {
    const values = amounts.map((amount, link) => (amount ? amount / rate[link] : 0));
    const fastest = new Float64Array(names.length);
    // The slowest link need not be one of a cut: the bound in time is for the fastest.
    for (let link = 0; link < rail.links; link++)
      fastest[classOf[link]] = Math.max(fastest[classOf[link]], rate[link]);
    const inTime = bounds.map((bound, number) => (fastest[number] > 0 ? bound / fastest[number] : 0));
    return [values, classFacts(rail, values, inTime, names)];
  }
  const facts = classFacts(rail, amounts, bounds, names);
  if (unit !== "ratio") return [amounts, facts];
  const means = new Float64Array(names.length).fill(1);
  for (const fact of facts) if (fact.mean > 0) means[fact.class] = fact.mean;
  const values = amounts.map((amount, link) => amount / means[classOf[link]]);
  return [
    values,
    classFacts(
      rail,
      values,
      bounds.map((bound, number) => bound / means[number]),
      names,
    ),
  ];
}

/** Return whether a link goes in the direction that is shown; those within a level go in both. */
export function isLooked(view: View, link: number, rail = view.rail): boolean {
  const { direction } = view.state;
  return direction === "larger" || rail.way[link] !== (direction === "up" ? -1 : 1);
}

/** Return the links of a bundle that go in the direction that is shown. */
export function linksOf(view: View, bundle: Bundle): number[] {
  return [...bundle.up, ...bundle.down].filter((link) => isLooked(view, link));
}

export function largest(links: readonly number[], values: ArrayLike<number>): number {
  let most = 0;
  for (const link of links) if (values[link] > most) most = values[link];
  return most;
}

/** A bound alone is not informative if it can't be reached, as in dragonflies. */
export function limitOf(facts: ClassFacts): number {
  return facts.bound > 0 ? EXCESS * Math.max(facts.bound, facts.mean) : Infinity;
}

export function isHot(view: View, link: number, rail = view.state.rail): boolean {
  const classOf = view.network.rails[rail].data.links.class[link];
  const facts = view.classes[rail].find((fact) => fact.class === classOf);
  return facts !== undefined && view.values[rail][link] > limitOf(facts);
}

function litBy(view: View): Lit | null {
  const { choice } = view.state;
  if (choice.kind === "links") return throughLinks(view, choice.rail, choice.links);
  if (choice.kind === "groups") return ofGroups(view, choice.groups);
  if (choice.kind === "cell") return ofCell(view, choice.row, choice.column);
  return view.part.ranks && ofRanks(view, view.part.ranks);
}

/** Return the traffic of some ranks, sent and received: for blocks of ranks, the traffic of blocks with any of them. */
function ofRanks(view: View, ranks: Uint8Array): Lit {
  const { network, flows, mask, measure } = view;
  const { together } = flows.data;
  const blocks = new Uint8Array(flows.size);
  ranks.forEach((chosen, rank) => {
    if (chosen) blocks[Math.floor(rank / together)] = 1;
  });
  const cells = view.cells.map((amount, cell) =>
    blocks[flows.row[cell]] || blocks[flows.column[cell]] ? amount : 0,
  );
  const groups = new Float64Array(network.groups);
  cells.forEach((amount, cell) => {
    if (amount <= 0) return;
    for (let entry = flows.start[cell]; entry < flows.start[cell + 1]; entry++) {
      const group = flows.data.group[entry];
      if (mask[group]) groups[group] += flows.data[measure][entry];
    }
  });
  const links = network.rails.map((rail) => new Float64Array(rail.links));
  const partial = alongWays(view, cells, (rail, link, amount) => {
    links[rail][link] += amount;
  });
  const estimated = { links: together > 1, cells: together > 1 };
  const { ranksName } = view.part;
  return { name: ranksName, links, most: links.map(highest), cells, groups, partial, estimated };
}

/** Call with each link that amounts of cells take; return whether there are more routes than are followed. */
function alongWays(
  view: View,
  cells: Float64Array,
  tell: (rail: number, link: number, amount: number) => void,
): boolean {
  const { flows } = view;
  let ways = 0;
  for (let cell = 0; cell < cells.length && ways < MOST_WAYS; cell++) {
    if (cells[cell] <= 0) continue;
    ways += flows.data.together ** 2;
    flows.links(cell, (rail, link, share) => {
      tell(rail, link, cells[cell] * share);
    });
  }
  return ways >= MOST_WAYS;
}

function throughLinks(view: View, place: number, links: number[]): Lit {
  const { network, flows, mask, measure } = view;
  const rail = network.rails[place];
  const groups = new Float64Array(network.groups);
  for (const link of links)
    rail.causes(link, measure, (group, amount) => {
      if (mask[group]) groups[group] += amount;
    });
  const through = flows.through(place, links);
  const cells = view.cells.map((amount, cell) => amount * through[cell]);
  const lit = network.rails.map((one) => new Float64Array(one.links));
  const partial = alongWays(view, cells, (other, link, amount) => {
    if (other === place) lit[place][link] += amount;
  });
  for (const link of links) lit[place][link] = 0;
  const most = lit.map((amounts) => highest(amounts));
  for (const link of links) lit[place][link] = view.amounts[place][link] || Number.MIN_VALUE;
  most[place] ||= highest(lit[place]);
  const [first] = links;
  const name =
    links.length === 1 ? rail.linkName(first) : `${links.length} links, the first: ${rail.linkName(first)}`;
  const blocks = flows.data.together > 1;
  const estimated = { links: blocks, cells: blocks };
  return { name, links: lit, most, cells, groups, partial, estimated };
}

function ofGroups(view: View, chosen: number[]): Lit {
  const { network, flows, measure } = view;
  const mask = new Uint8Array(network.groups);
  for (const group of chosen) mask[group] = view.mask[group];
  const links = network.rails.map((rail) => rail.sums(measure, mask));
  const groups = new Float64Array(network.groups);
  flows.data.group.forEach((group: number, entry: number) => {
    if (mask[group]) groups[group] += flows.data[measure][entry];
  });
  const name =
    chosen.length === 1
      ? network.groupName(chosen[0])
      : network.data.causes[network.data.groups.cause[chosen[0]]];
  const estimated = { links: false, cells: false };
  const cells = flows.cells(measure, mask);
  return { name, links, most: links.map(highest), cells, groups, partial: false, estimated };
}

function ofCell(view: View, row: number, column: number): Lit {
  const { network, flows, mask, measure } = view;
  const groups = new Float64Array(network.groups);
  const links = network.rails.map((rail) => new Float64Array(rail.links));
  const cells = new Float64Array(flows.row.length);
  const cell = flows.cell(row, column);
  if (cell >= 0) {
    for (let entry = flows.start[cell]; entry < flows.start[cell + 1]; entry++) {
      const group = flows.data.group[entry];
      if (mask[group]) groups[group] += flows.data[measure][entry];
    }
    cells[cell] = view.cells[cell];
    flows.links(cell, (rail, link, share) => {
      links[rail][link] += view.cells[cell] * share;
    });
  }
  return {
    name: `${flows.blockName(row)} → ${flows.blockName(column)}`,
    links,
    most: links.map(highest),
    cells,
    groups,
    partial: false,
    estimated: { links: flows.data.together > 1, cells: false },
  };
}
