/** The traffic between blocks of ranks, and its relation to the links. */
import type { FlowData } from "./contract.ts";
import type { Network } from "./model.ts";
import { Crossing, walk } from "./routes.ts";

/** Most pairs of ranks in two blocks that are followed one by one. */
const MOST_PAIRS = 65_536;

type Share = (source: number, destination: number, part: number) => number;

export class Flows {
  readonly data: FlowData;
  /** Blocks of `together` ranks. */
  readonly size: number;
  /** Cells: pairs of blocks that send anything, C of them, by row and column. */
  readonly row: Uint32Array;
  readonly column: Uint32Array;
  /** The entries of a cell are start[cell] to start[cell + 1]. */
  readonly start: Uint32Array;

  constructor(private readonly network: Network) {
    const { source, destination, together } = network.data.flows;
    this.data = network.data.flows;
    this.size = Math.ceil(network.data.ranks / together);
    const start: number[] = [];
    for (let entry = 0; entry < source.length; entry++)
      if (source[entry] !== source[entry - 1] || destination[entry] !== destination[entry - 1])
        start.push(entry);
    this.row = Uint32Array.from(start, (entry) => source[entry]);
    this.column = Uint32Array.from(start, (entry) => destination[entry]);
    this.start = Uint32Array.from([...start, source.length]);
  }

  /** Return the sum of each cell over the groups of the mask. */
  cells(of: "bytes" | "messages", mask: Uint8Array): Float64Array {
    const amounts = this.data[of];
    const { group } = this.data;
    const found = new Float64Array(this.row.length);
    for (let cell = 0; cell < found.length; cell++)
      for (let entry = this.start[cell]; entry < this.start[cell + 1]; entry++)
        if (mask[group[entry]]) found[cell] += amounts[entry];
    return found;
  }

  /** Return the cell of a row and a column; -1: they send nothing. */
  cell(row: number, column: number): number {
    let [low, high] = [0, this.row.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const before = this.row[middle] < row || (this.row[middle] === row && this.column[middle] < column);
      if (before) low = middle + 1;
      else high = middle;
    }
    return this.row[low] === row && this.column[low] === column ? low : -1;
  }

  /** Return the share of each cell that goes through the links of a rail; for blocks the mean over their pairs. */
  through(rail: number, links: Iterable<number>): Float64Array {
    const crossing = new Crossing(this.network.rails[rail], links);
    const share: Share = (one, other) => crossing.share(one, other);
    const found = new Float64Array(this.row.length);
    for (let cell = 0; cell < found.length; cell++) found[cell] = this.ofCell(rail, cell, share);
    return found;
  }

  /** Call with each link that the messages of a cell take, on each rail, and with the share that takes it. */
  links(cell: number, tell: (rail: number, link: number, share: number) => void): void {
    this.network.rails.forEach((rail, place) => {
      this.ofCell(place, cell, (one, other, part) => {
        walk(rail, one, other, (link, share) => {
          tell(place, link, share * part);
        });
        return 0;
      });
    });
  }

  /**
   * Return the mean over the pairs of a cell that are on different hosts, weighted by the share that takes the rail.
   */
  private ofCell(place: number, cell: number, share: Share): number {
    const { together } = this.data;
    const { ranks, hostOf } = this.network.data;
    const [from, to] = [this.row[cell] * together, this.column[cell] * together];
    if (together === 1) return this.ofPair(place, from, to, 1, share);
    const [fromEnd, toEnd] = [Math.min(from + together, ranks), Math.min(to + together, ranks)];
    const apart = (one: number, other: number) =>
      one !== other && (hostOf[one] !== hostOf[other] || hostOf[one] < 0);
    let pairs = 0;
    for (let one = from; one < fromEnd; one++)
      for (let other = to; other < toEnd; other++) if (apart(one, other)) pairs++;
    if (!pairs || pairs > MOST_PAIRS) return 0;
    let sum = 0;
    for (let one = from; one < fromEnd; one++)
      for (let other = to; other < toEnd; other++)
        if (apart(one, other)) sum += this.ofPair(place, one, other, 1 / pairs, share);
    return sum;
  }

  /** As python/rankwise/network/job/journeys.py distributes flows among rails and ports. */
  private ofPair(place: number, one: number, other: number, weight: number, share: Share): number {
    const takes = weight * this.takes(place, one, other);
    if (takes <= 0) return 0;
    const { width, port, part } = this.network.rails[place].data.places;
    let sum = 0;
    for (let from = one * width; from < (one + 1) * width; from++)
      for (let to = other * width; to < (other + 1) * width; to++) {
        const both = takes * part[from] * part[to];
        if (both > 0) sum += both * share(port[from], port[to], both);
      }
    return sum;
  }

  /** Return the share of a rank's messages to another one that takes a rail. */
  private takes(place: number, one: number, other: number): number {
    const { rails } = this.network;
    if (rails.length === 1) return rails[0].has[one] && rails[0].has[other];
    let [sum, here, both] = [0, 0, 0];
    for (const rail of rails) {
      if (!rail.has[other]) continue;
      const wanted = rail.data.places.wanted[one];
      sum += wanted;
      if (rail.index === place) here = wanted;
      if (rail.has[one]) both++;
    }
    if (sum > 0) return here / sum;
    return rails[place].has[one] && rails[place].has[other] ? 1 / both : 0;
  }

  blockName(block: number): string {
    const { together } = this.data;
    const last = Math.min((block + 1) * together, this.network.data.ranks) - 1;
    return together > 1 ? `ranks ${block * together}–${last}` : `rank ${block}`;
  }

  /** The host of a block; for several hosts the first and the last one. */
  hostName(block: number): string {
    const { hosts, hostOf, ranks } = this.network.data;
    const { together } = this.data;
    const found = Array.from(hostOf.subarray(block * together, Math.min((block + 1) * together, ranks)));
    const name = (host: number) => (host < 0 ? "an unknown host" : hosts[host]);
    const [first, last] = [found[0], found[found.length - 1]];
    return found.every((host) => host === first) ? name(first) : `${name(first)} – ${name(last)}`;
  }
}
