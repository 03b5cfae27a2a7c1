/** Loads of links, for the chosen groups of traffic. */
import type { Numbers } from "../ui/data.ts";
import { linkRateText } from "../units.ts";
import type { Loads, NetworkData, RailData } from "./contract.ts";

/** Cables between the same two ends: one line of the drawing, one cell of a matrix. */
export interface Bundle {
  /** Ends, the lower level first; below S a switch, else S + port. */
  low: number;
  high: number;
  /** Links from low to high, and back. */
  up: number[];
  down: number[];
}

export class Rail {
  readonly switches: number;
  readonly ports: number;
  readonly links: number;
  readonly bundles: Bundle[];
  /** Of each link its bundle. */
  readonly bundleOf: Int32Array;
  readonly levels: number;
  /** The ends of each level; the ports are level 0. */
  readonly at: number[][];
  /** Of each end its level: 0 of ports. */
  readonly level: Uint8Array;
  /** Of each link whether it leads to a higher level (1), a lower one (-1), or stays (0). */
  readonly way: Int8Array;
  /** Links between switches lead up and down: all of them are on one level in a torus or a dragonfly. */
  readonly upright: boolean;
  /** The link out of each port of each switch, at switch * (highest port + 1) + port; -1: none. */
  readonly out: Int32Array;
  readonly outWidth: number;
  /** The link from each host port into the fabric. */
  readonly upOfPort: Int32Array;
  /** Whether each rank has a port here, and uses it. */
  readonly has: Uint8Array;
  /** Entries of `loads` by link. */
  private readonly entryStart: Uint32Array;
  private readonly entries: Uint32Array;
  private readonly groupOfEntry: Uint32Array;

  constructor(
    readonly data: RailData,
    readonly index: number,
  ) {
    this.switches = data.switches.name.length;
    this.ports = data.ports.name.length;
    this.links = data.links.source.length;
    this.level = new Uint8Array(this.switches + this.ports);
    this.level.set(data.switches.level);
    this.levels = highest(this.level);
    this.at = Array.from({ length: this.levels + 1 }, () => []);
    this.level.forEach((level, end) => this.at[level].push(end));
    [this.bundles, this.bundleOf] = this.bundled();
    const { source, sourcePort, destination } = data.links;
    this.way = Int8Array.from({ length: this.links }, (_, link) =>
      Math.sign(this.level[destination[link]] - this.level[source[link]]),
    );
    this.upright = this.way.every((way) => way !== 0) || this.levels > 1;
    this.outWidth = 1 + highest(sourcePort);
    this.out = new Int32Array(this.switches * this.outWidth).fill(-1);
    this.upOfPort = new Int32Array(this.ports).fill(-1);
    for (let link = 0; link < this.links; link++) {
      if (source[link] < this.switches) this.out[source[link] * this.outWidth + sourcePort[link]] = link;
      else this.upOfPort[source[link] - this.switches] = link;
    }
    const { width, part } = data.places;
    this.has = new Uint8Array(part.length / Math.max(1, width));
    part.forEach((value: number, at: number) => {
      if (value > 0) this.has[Math.floor(at / width)] = 1;
    });
    const loads = data.loads;
    this.groupOfEntry = new Uint32Array(loads.at.length);
    for (let group = 0; group + 1 < loads.start.length; group++)
      this.groupOfEntry.fill(group, loads.start[group], loads.start[group + 1]);
    [this.entryStart, this.entries] = bucketed(loads.at, this.links);
  }

  private bundled(): [Bundle[], Int32Array] {
    const { source, destination } = this.data.links;
    const found = new Map<number, number>();
    const bundles: Bundle[] = [];
    const of = new Int32Array(this.links);
    const ends = this.switches + this.ports;
    for (let link = 0; link < this.links; link++) {
      const [one, other] = [source[link], destination[link]];
      const up =
        this.level[one] < this.level[other] || (this.level[one] === this.level[other] && one < other);
      const [low, high] = up ? [one, other] : [other, one];
      const key = low * ends + high;
      let place = found.get(key);
      if (place === undefined) {
        place = bundles.push({ low, high, up: [], down: [] }) - 1;
        found.set(key, place);
      }
      bundles[place][up ? "up" : "down"].push(link);
      of[link] = place;
    }
    return [bundles, of];
  }

  name(end: number): string {
    const { switches, ports } = this.data;
    return end < this.switches ? switches.name[end] : ports.name[end - this.switches];
  }

  /** The name of a switch or a host, without adapter and port. */
  plainName(end: number): string {
    return end < this.switches ? this.name(end) : this.data.ports.host[end - this.switches];
  }

  device(end: number): string {
    return end < this.switches ? "" : this.data.ports.device[end - this.switches];
  }

  /** The rate and the width of a link; '' if the rate is unknown. */
  rateText(link: number): string {
    const { rate, width } = this.data.links;
    return Number.isNaN(rate[link]) ? "" : linkRateText(rate[link], width[link]);
  }

  /** Whether the cable of a link is slower than its parallels. */
  isSlow(link: number): boolean {
    return this.data.links.slow[link] > 0;
  }

  /** Where a switch is: its level, or its place in the topology. */
  placeText(end: number): string {
    return this.data.switches.place.at(end) ?? `level ${this.level[end]}`;
  }

  linkName(link: number): string {
    const { source, sourcePort, destination, destinationPort } = this.data.links;
    const port = (end: number, number: number) => (end < this.switches ? ` [${number}]` : "");
    const from = this.name(source[link]) + port(source[link], sourcePort[link]);
    return `${from} → ${this.name(destination[link])}${port(destination[link], destinationPort[link])}`;
  }

  /** Return the sums over the groups that are not 0 in the mask, of each link. */
  sums(of: "bytes" | "messages", mask: Uint8Array): Float64Array {
    return added(this.data.loads, of, mask, this.links);
  }

  /** Call with each group that loads a link, and its part. */
  causes(link: number, of: "bytes" | "messages", tell: (group: number, amount: number) => void): void {
    const amounts = this.data.loads[of];
    for (let place = this.entryStart[link]; place < this.entryStart[link + 1]; place++) {
      const entry = this.entries[place];
      tell(this.groupOfEntry[entry], amounts[entry]);
    }
  }
}

/** Sort the indices of values by value: the indices of v are the second array's from first[v] to first[v + 1]. */
export function bucketed(values: Numbers, size: number): [Uint32Array, Uint32Array] {
  const start = new Uint32Array(size + 1);
  for (const value of values) start[value + 1]++;
  for (let value = 0; value < size; value++) start[value + 1] += start[value];
  const next = start.slice();
  const order = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) order[next[values[i]]++] = i;
  return [start, order];
}

/** The loads of a class of links. */
export interface ClassFacts {
  name: string;
  class: number;
  links: number;
  used: number;
  most: number;
  /** Over the links that are used. */
  mean: number;
  bound: number;
}

/** Return the facts of each class that has links. */
export function classFacts(
  rail: Rail,
  values: Float64Array,
  bounds: Float64Array,
  names: string[],
): ClassFacts[] {
  const classOf = rail.data.links.class;
  const facts = names.map((name, number) => ({
    name,
    class: number,
    links: 0,
    used: 0,
    most: 0,
    mean: 0,
    bound: bounds[number],
  }));
  for (let link = 0; link < rail.links; link++) {
    const fact = facts[classOf[link]];
    fact.links++;
    if (values[link] <= 0) continue;
    fact.used++;
    fact.mean += values[link];
    fact.most = Math.max(fact.most, values[link]);
  }
  for (const fact of facts) fact.mean /= Math.max(1, fact.used);
  return facts.filter((fact) => fact.links > 0);
}

/** Return the lower bound for the most loaded link of each class with any routing; 0: not known. */
export function boundsOf(
  rail: Rail,
  of: "bytes" | "messages",
  mask: Uint8Array,
  classes: number,
): Float64Array {
  const { class: classOf, links, loads } = rail.data.cuts;
  const bounds = new Float64Array(classes);
  added(loads, of, mask, links.length).forEach((amount, cut) => {
    bounds[classOf[cut]] = Math.max(bounds[classOf[cut]], amount / links[cut]);
  });
  return bounds;
}

function added(loads: Loads, of: "bytes" | "messages", mask: Uint8Array, size: number): Float64Array {
  const { start, at } = loads;
  const amounts = loads[of];
  const found = new Float64Array(size);
  for (let group = 0; group < mask.length; group++) {
    if (!mask[group]) continue;
    for (let entry = start[group]; entry < start[group + 1]; entry++) found[at[entry]] += amounts[entry];
  }
  return found;
}

export class Network {
  readonly rails: Rail[];
  readonly groups: number;

  constructor(readonly data: NetworkData) {
    this.rails = data.rails.map((rail, index) => new Rail(rail, index));
    this.groups = data.groups.communicator.length;
  }

  groupName(group: number): string {
    const { groups, communicators, procedures, kinds } = this.data;
    const procedure = procedures[groups.procedure[group]];
    const call = procedure.startsWith("(") ? `${procedure}, ${kinds[groups.kind[group]]}` : procedure;
    return `${call} of ${communicators.label[groups.communicator[group]]}`;
  }

  /** The groups of each cause. */
  groupsOf(cause: number): number[] {
    return Array.from(this.data.groups.cause.keys()).filter(
      (group) => this.data.groups.cause[group] === cause,
    );
  }
}

/** Return the largest of numbers that are not negative; 0 without numbers. */
export function highest(numbers: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > most) most = numbers[i];
  return most;
}
