/** The routes of the forwarding tables, evaluated in the page itself: between two ports, and through some links. */
import type { Rail } from "./model.ts";

const MOST_HOPS = 64;
/** For messages that do not arrive: they load nothing. */
const LOST = -1;

/** Call with each link on the route from one host port to another, and the share of the messages that takes it. */
export function walk(
  rail: Rail,
  source: number,
  destination: number,
  tell: (link: number, share: number) => void,
): void {
  const forward = rail.data.forward;
  const first = rail.upOfPort[source];
  if (!forward || source === destination || first < 0) return;
  const ends = rail.data.links.destination;
  const taken: [link: number, share: number][] = [[first, 1]];
  const [begin, after] = [forward.start[destination], forward.start[destination + 1]];
  let arrived = 0;
  for (let column = begin; column < after; column++) {
    let here = new Map([[ends[first], 1 / (after - begin)]]);
    for (let hop = 0; hop < MOST_HOPS && here.size; hop++) {
      const next = new Map<number, number>();
      for (const [at, share] of here) {
        const out = waysOut(rail, at, column);
        for (const link of out) {
          const part = share / out.length;
          taken.push([link, part]);
          const end = ends[link];
          if (end === rail.switches + destination) arrived += part;
          else if (end < rail.switches) next.set(end, (next.get(end) ?? 0) + part);
        }
      }
      here = next;
    }
  }
  if (arrived > 0.999999) for (const [link, share] of taken) tell(link, share);
}

function waysOut(rail: Rail, at: number, column: number): number[] {
  const forward = rail.data.forward;
  if (!forward) return [];
  const found: number[] = [];
  const start = (at * forward.start[rail.ports] + column) * forward.width;
  for (let way = start; way < start + forward.width; way++) {
    const port = forward.ports[way];
    const link = port === forward.none || port >= rail.outWidth ? -1 : rail.out[at * rail.outWidth + port];
    if (link >= 0) found.push(link);
  }
  return found;
}

/**
 * The share of the messages between two host ports that goes through at least one of some links.
 *
 * Found once for each destination and each switch, not for each pair: all messages at a switch go on in the same way.
 */
export class Crossing {
  private readonly chosen: Uint8Array;
  /** Share by destination and switch; NaN: not found yet. */
  private readonly known: (Float32Array | undefined)[] = [];
  /** For each host port, whether messages for it can take one of the links after their first switch. */
  private readonly concerned: Uint8Array;

  constructor(
    private readonly rail: Rail,
    links: Iterable<number>,
  ) {
    this.chosen = new Uint8Array(rail.links);
    for (const link of links) this.chosen[link] = 1;
    this.concerned = this.destinations();
  }

  private destinations(): Uint8Array {
    const { rail } = this;
    const found = new Uint8Array(rail.ports);
    const { source } = rail.data.links;
    const start = rail.data.forward?.start ?? [];
    for (let link = 0; link < rail.links; link++) {
      if (!this.chosen[link] || source[link] >= rail.switches) continue;
      for (let port = 0; port < rail.ports; port++)
        for (let column = start[port]; column < start[port + 1] && !found[port]; column++)
          if (waysOut(rail, source[link], column).includes(link)) found[port] = 1;
    }
    return found;
  }

  share(source: number, destination: number): number {
    const { rail } = this;
    const first = rail.upOfPort[source];
    const forward = rail.data.forward;
    if (source === destination || first < 0 || !forward) return 0;
    if (!this.concerned[destination] && !this.chosen[first]) return 0;
    const at = rail.data.links.destination[first];
    const [begin, after] = [forward.start[destination], forward.start[destination + 1]];
    let sum = 0;
    for (let column = begin; column < after; column++) {
      const shares = (this.known[column] ??= new Float32Array(rail.switches).fill(NaN));
      const onward = this.from(at, column, rail.switches + destination, shares, 0);
      if (onward === LOST) return 0;
      sum += onward;
    }
    return this.chosen[first] ? 1 : sum / (after - begin);
  }

  private from(at: number, column: number, goal: number, shares: Float32Array, hops: number): number {
    const { rail } = this;
    if (at >= rail.switches) return at === goal ? 0 : LOST;
    if (!Number.isNaN(shares[at])) return shares[at];
    if (hops > MOST_HOPS) return LOST;
    const out = waysOut(rail, at, column);
    let sum = out.length ? 0 : LOST;
    for (const link of out) {
      const onward = this.from(rail.data.links.destination[link], column, goal, shares, hops + 1);
      if (onward === LOST) {
        sum = LOST;
        break;
      }
      sum += this.chosen[link] ? 1 : onward;
    }
    shares[at] = sum === LOST ? LOST : sum / out.length;
    return shares[at];
  }
}
