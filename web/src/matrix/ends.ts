/** The rows and columns of a matrix: ranks, blocks of ranks, or nodes. */
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import { countOf } from "../units.ts";
import type { Entries } from "./cells.ts";
import type { MessagesData, PairsData } from "./contract.ts";
import type { Mapping } from "./mapping.ts";
import { type Order, type Rows, rowsIn, rowsOf } from "./orders.ts";

export interface Ends {
  kind: "rank" | "node";
  count: number;
  /** Ranks in a block; 1 without blocks. */
  together: number;
  rows: Rows;
  entries: Entries;
  /** By group: from or to ends without a row. */
  unplaced: { bytes: ArrayLike<number>; messages: ArrayLike<number> };
  name: (end: number) => string;
  /** The hosts of a rank or block; of a node ''. */
  host: (end: number) => string;
  /** In the notation of the filter of ranks. */
  ranks: (end: number) => string;
  /** Whether an end of an entry is chosen. */
  chosen: (selection: Selection) => (entry: number) => boolean;
  node: (end: number) => number;
}

export function rankEnds(run: RunData, data: MessagesData, order: Order, mapping: Mapping | null): Ends {
  const { axes } = run;
  const { together } = data.ranks;
  const count = Math.ceil(axes.ranks / together);
  const moved = order === "file" && mapping !== null && together === 1;
  const hostOf = moved ? mapping.hostOf : axes.hostOf;
  const hosts = moved ? mapping.hosts : axes.hosts;
  const hostName = (rank: number) => (hostOf[rank] < hosts.length ? hosts[hostOf[rank]] : "host unknown");
  const last = (end: number) => Math.min(axes.ranks, (end + 1) * together) - 1;
  const ranks = (end: number) => {
    const from = end * together;
    return last(end) > from ? `${from}-${last(end)}` : String(from);
  };
  return {
    kind: "rank",
    count,
    together,
    rows: rowsIn(order, axes, count, mapping),
    entries: data.ranks,
    unplaced: data.ranks.unplaced,
    name: ranks,
    host: (end) => {
      const [one, other] = [hostName(end * together), hostName(last(end))];
      return one === other ? one : `${one} to ${other}`;
    },
    ranks,
    chosen: (selection) =>
      either(
        data.ranks,
        Array.from({ length: count }, (_, end) => selection.block(end, together)),
      ),
    node: (end) => hostOf[end * together],
  };
}

/** The original hosts, or those in the mapping that is shown. */
export function nodeEnds(run: RunData, data: MessagesData, mapping: Mapping | null): Ends {
  const { axes } = run;
  const moved = data.nodes ? null : mapping;
  const hosts = moved?.hosts ?? axes.hosts;
  const hostOf = moved?.hostOf ?? axes.hostOf;
  const members: number[][] = hosts.map(() => []);
  for (let rank = 0; rank < axes.ranks; rank++)
    if (hostOf[rank] < hosts.length) members[hostOf[rank]].push(rank);
  const { entries, unplaced, chosen } = data.nodes
    ? asGiven(data.nodes, members)
    : summed(data, hostOf, hosts.length);
  return {
    kind: "node",
    count: hosts.length,
    together: 1,
    rows: rowsOf(hosts.length),
    entries,
    unplaced,
    name: (node) => hosts[node],
    host: (node) => countOf(members[node].length, "rank"),
    ranks: (node) => listed(members[node]),
    chosen,
    node: (node) => node,
  };
}

type Of = Pick<Ends, "entries" | "unplaced" | "chosen">;

/** Entries of ranks, added up by node. */
function summed({ ranks, groups }: MessagesData, hostOf: ArrayLike<number>, hosts: number): Of {
  const bytes = Float64Array.from({ length: groups.kind.length }, (_, group) => ranks.unplaced.bytes[group]);
  const messages = Float64Array.from(bytes, (_, group) => ranks.unplaced.messages[group]);
  const kept = new Uint32Array(ranks.source.length);
  let count = 0;
  for (let entry = 0; entry < kept.length; entry++) {
    if (hostOf[ranks.source[entry]] < hosts && hostOf[ranks.destination[entry]] < hosts) {
      kept[count++] = entry;
      continue;
    }
    bytes[ranks.group[entry]] += ranks.bytes[entry];
    messages[ranks.group[entry]] += ranks.messages[entry];
  }
  const of = kept.subarray(0, count);
  return {
    entries: {
      source: of.map((entry) => hostOf[ranks.source[entry]]),
      destination: of.map((entry) => hostOf[ranks.destination[entry]]),
      group: of.map((entry) => ranks.group[entry]),
      bytes: Float64Array.from(of, (entry) => ranks.bytes[entry]),
      messages: Float64Array.from(of, (entry) => ranks.messages[entry]),
    },
    unplaced: { bytes, messages },
    // By ranks: on their nodes, the other ranks are not chosen.
    chosen: (selection) => {
      const is = either(ranks, selection.ranks);
      return (entry) => is(of[entry]);
    },
  };
}

/** Only sums of nodes exist: a node is completely chosen if some of its ranks are. */
function asGiven(nodes: PairsData, members: number[][]): Of {
  return {
    entries: nodes,
    unplaced: nodes.unplaced,
    chosen: (selection) =>
      either(
        nodes,
        members.map((ranks) => ranks.some((rank) => selection.ranks[rank])),
      ),
  };
}

function either(entries: Entries, is: ArrayLike<number | boolean>): (entry: number) => boolean {
  return (entry) => Boolean(is[entries.source[entry]] || is[entries.destination[entry]]);
}

/** As `0-3,8`. */
function listed(ranks: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < ranks.length;) {
    let end = at;
    while (end + 1 < ranks.length && ranks[end + 1] === ranks[end] + 1) end++;
    parts.push(end > at ? `${ranks[at]}-${ranks[end]}` : String(ranks[at]));
    at = end + 1;
  }
  return parts.join(",");
}
