/** What ranks send each other, by blocks of ranks, and how it is joined with the links. */
import type { FlowData } from "../contract.ts";
import { bucketed, type Network } from "./model.ts";
import { Crossing, walk } from "./routes.ts";

const MOST_WALKS = 65_536;

export class Flows {
  readonly data: FlowData;
  /** Rows of the matrix: blocks of `together` ranks. */
  readonly size: number;
  private readonly rowStart: Uint32Array;
  private readonly byRow: Uint32Array;

  constructor(private readonly network: Network) {
    this.data = network.data.flows;
    this.size = Math.ceil(network.data.ranks / this.data.together);
    [this.rowStart, this.byRow] = bucketed(this.data.source, this.size);
  }

  /** Return the sums of each cell, row by row, over the groups of the mask and as `part` of each entry has it. */
  cells(of: "bytes" | "messages", mask: Uint8Array, part?: (entry: number) => number): Float32Array {
    const { source, destination, group } = this.data;
    const amounts = this.data[of];
    const found = new Float32Array(this.size * this.size);
    for (let entry = 0; entry < source.length; entry++) {
      if (!mask[group[entry]]) continue;
      found[source[entry] * this.size + destination[entry]] += amounts[entry] * (part?.(entry) ?? 1);
    }
    return found;
  }

  /** Call with each entry of a cell. */
  entries(row: number, column: number, tell: (entry: number) => void): void {
    for (let place = this.rowStart[row]; place < this.rowStart[row + 1]; place++)
      if (this.data.destination[this.byRow[place]] === column) tell(this.byRow[place]);
  }

  /**
   * Return what part of each entry goes through the links of a rail; of blocks the mean over their pairs.
   *
   * All entries of a cell have one way, so that it is found once.
   */
  through(rail: number, links: Iterable<number>): (entry: number) => number {
    const { source, destination } = this.data;
    const crossing = new Crossing(this.network.rails[rail], links);
    const known = new Map<number, number>();
    return (entry) => {
      const key = source[entry] * this.size + destination[entry];
      let share = known.get(key);
      if (share === undefined) {
        share = this.ofBlocks(rail, source[entry], destination[entry], (one, other) =>
          crossing.share(one, other),
        );
        known.set(key, share);
      }
      return share;
    };
  }

  /** Call with each link that the messages of a cell take, on each rail, and with the share that does. */
  links(row: number, column: number, tell: (rail: number, link: number, share: number) => void): void {
    this.network.rails.forEach((rail, place) => {
      this.ofBlocks(place, row, column, (one, other, part) => {
        walk(rail, one, other, (link, share) => {
          tell(place, link, share * part);
        });
        return 0;
      });
    });
  }

  /** Return the mean over the pairs of two blocks that are on different hosts, each by what takes the rail. */
  private ofBlocks(
    place: number,
    row: number,
    column: number,
    share: (source: number, destination: number, part: number) => number,
  ): number {
    const { hostOf } = this.network.data;
    const [sources, destinations] = [this.ranksOf(row), this.ranksOf(column)];
    const apart = (one: number, other: number) => hostOf[one] !== hostOf[other] || hostOf[one] < 0;
    let pairs = 0;
    for (const one of sources)
      for (const other of destinations) if (one !== other && apart(one, other)) pairs++;
    if (!pairs || pairs > MOST_WALKS) return 0;
    let sum = 0;
    for (const one of sources)
      for (const other of destinations)
        if (one !== other && apart(one, other)) sum += this.ofPair(place, one, other, 1 / pairs, share);
    return sum;
  }

  /** As python/rankwise/network/job/journeys.py shares flows out among rails and ports. */
  private ofPair(
    place: number,
    one: number,
    other: number,
    weight: number,
    share: (source: number, destination: number, part: number) => number,
  ): number {
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

  /** Return what of a rank's messages for another one takes a rail. */
  private takes(place: number, one: number, other: number): number {
    const { rails } = this.network;
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

  ranksOf(block: number): number[] {
    const first = block * this.data.together;
    const after = Math.min(first + this.data.together, this.network.data.ranks);
    return Array.from({ length: after - first }, (_, place) => first + place);
  }

  blockName(block: number): string {
    const ranks = this.ranksOf(block);
    return ranks.length > 1 ? `ranks ${ranks[0]}–${ranks[ranks.length - 1]}` : `rank ${ranks[0]}`;
  }
}
