/** Sums of calls by place, and the composition of each. */
import type { Selection } from "../shell/selection.ts";

export interface Group {
  key: number;
  calls: number;
  /** Calls that never returned: not in `calls`. */
  unfinished: number;
  sent: number;
  received: number;
  seconds: number;
  /** Seconds by index: of procedures, communicators, sites, size bins, and of ranks (or of blocks of ranks). */
  procedures: Map<number, number>;
  communicators: Map<number, number>;
  sites: Map<number, number>;
  sizes: Map<number, number>;
  ranks: Map<number, number>;
}

/** Add up the chosen calls by the result of `key` for each, most time first. */
export function groups(selection: Selection, key: (cell: number) => number): Group[] {
  const { cells } = selection.run;
  const found = new Map<number, Group>();
  for (const cell of selection.cells) {
    const at = key(cell);
    let group = found.get(at);
    if (!group) {
      group = emptyGroup(at);
      found.set(at, group);
    }
    const seconds = cells.seconds[cell];
    group.calls += cells.calls[cell];
    group.unfinished += cells.unfinished[cell];
    group.sent += cells.sent[cell];
    group.received += cells.received[cell];
    group.seconds += seconds;
    add(group.procedures, cells.procedure[cell], seconds);
    add(group.communicators, cells.communicator[cell], seconds);
    add(group.sites, cells.site[cell], seconds);
    add(group.sizes, cells.size[cell], seconds);
    add(group.ranks, cells.rank[cell], seconds);
  }
  return [...found.values()].sort((one, other) => other.seconds - one.seconds);
}

export function emptyGroup(key: number): Group {
  const sums = { calls: 0, unfinished: 0, sent: 0, received: 0, seconds: 0 };
  const map = () => new Map<number, number>();
  return {
    key,
    ...sums,
    procedures: map(),
    communicators: map(),
    sites: map(),
    sizes: map(),
    ranks: map(),
  };
}

export function add<Key>(sums: Map<Key, number>, key: Key, seconds: number): void {
  sums.set(key, (sums.get(key) ?? 0) + seconds);
}

/** Seconds by name, most first. */
export function named(sums: ReadonlyMap<number, number>, names: readonly string[]): [string, number][] {
  const found = new Map<string, number>();
  for (const [one, seconds] of sums) add(found, names[one], seconds);
  return [...found].sort(([, one], [, other]) => other - one);
}

/** Mean time of a call; null: no call. */
export function perCall({ seconds, calls, unfinished }: Group): number | null {
  return calls + unfinished ? seconds / (calls + unfinished) : null;
}

/** Chosen ranks whose counters were read. */
export function ranksRead({ ranks, run }: Selection): number {
  const { hosts, hostOf } = run.axes;
  return ranks.reduce((sum, chosen, rank) => sum + Number(chosen && hostOf[rank] < hosts.length), 0);
}

/**
 * The most time of a rank divided by the mean of all chosen ones; null: ranks are not distinguished, or there is no
 * time.
 */
export function imbalance(group: Group, selection: Selection): number | null {
  if (selection.run.cells.together > 1 || !group.seconds) return null;
  return (Math.max(...group.ranks.values()) * ranksRead(selection)) / group.seconds;
}
