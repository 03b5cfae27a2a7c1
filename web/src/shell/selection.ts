/** The part of a run that the filters choose: masks of the axes, and the cells that are in all of them. */
import type { Axes, RunData } from "../contract.ts";
import { regionsOf } from "./regions.ts";
import { EVERYTHING, type Filter } from "./state.ts";

export interface Sums {
  calls: Float64Array;
  sent: Float64Array;
  received: Float64Array;
  seconds: Float64Array;
  /** Calls that never returned: not in `calls`. */
  unfinished: Float64Array;
}

/** The qualifier in titles of a total that filters made smaller. */
export const LEFT = " that the filters leave";

/** The columns that distinguish cells. */
export type Key = "procedure" | "communicator" | "region" | "size" | "site" | "rank";

export class Selection {
  /** 1: chosen; by communicator, procedure, size, region, rank, site. */
  readonly communicators: Uint8Array;
  readonly procedures: Uint8Array;
  readonly sizes: Uint8Array;
  readonly regions: Uint8Array;
  readonly ranks: Uint8Array;
  readonly sites: Uint8Array;
  /** Values of filters that this run does not have: they choose nothing. */
  readonly unknown: (keyof Filter)[] = [];
  private found: Uint32Array | null = null;

  constructor(
    readonly run: RunData,
    readonly filter: Filter,
  ) {
    const { axes } = run;
    const { communicators, regions } = axes;
    this.communicators = this.mask("communicator", communicators.name.length, (one) =>
      [communicators.name[one], communicators.family[one]].includes(filter.communicator),
    );
    const { procedures } = axes;
    this.procedures = this.mask(
      "procedure",
      procedures.name.length,
      (one) => procedures.name[one] === filter.procedure,
    );
    if (filter.procedure && !this.unknown.includes("procedure")) {
      const { procedure } = run.cells;
      // The axis has all procedures of MPI, called or not.
      if (!procedure.some((one: number) => this.procedures[one])) this.unknown.push("procedure");
    }
    const [low, high] = [axes.sizes.indexOf(filter.sizeFrom), axes.sizes.indexOf(filter.sizeTo)];
    if (filter.sizeFrom && low < 0) this.unknown.push("sizeFrom");
    if (filter.sizeTo && high < 0) this.unknown.push("sizeTo");
    this.sizes = Uint8Array.from(axes.sizes, (_, size) => Number(size >= low && (high < 0 || size <= high)));
    const within = regionsOf(filter.region, regions);
    this.regions = this.mask("region", regions.name.length, (one) => within?.[one] === 1);
    this.sites = this.mask("site", axes.sites.length, (one) => axes.sites[one] === filter.site);
    const node = axes.hosts.indexOf(filter.node);
    const listed = ranksOf(filter.ranks, axes.ranks);
    this.ranks = Uint8Array.from({ length: axes.ranks }, (_, rank) =>
      Number((!filter.node || axes.hostOf[rank] === node) && (!listed || listed.has(rank))),
    );
    if (filter.node && node < 0) this.unknown.push("node");
    if (listed?.size === 0) this.unknown.push("ranks");
  }

  get everything(): boolean {
    return this.chosen.length === 0;
  }

  /** The qualifier of the total in titles; '' = no filter made it smaller. */
  get left(): string {
    return this.everything ? "" : LEFT;
  }

  /** The filters that are in use. */
  get chosen(): (keyof Filter)[] {
    return (Object.keys(EVERYTHING) as (keyof Filter)[]).filter((key) => this.filter[key]);
  }

  /** Whether any rank of a block in the cells is chosen. */
  block(block: number, together = this.run.cells.together): boolean {
    for (let rank = block * together; rank < Math.min((block + 1) * together, this.ranks.length); rank++)
      if (this.ranks[rank]) return true;
    return false;
  }

  /** Indices of the cells that are chosen, without MPI_Init and MPI_Finalize. */
  get cells(): Uint32Array {
    if (this.found) return this.found;
    const { cells, axes } = this.run;
    const blocks = new Uint8Array(Math.ceil(axes.ranks / cells.together));
    for (let block = 0; block < blocks.length; block++) blocks[block] = Number(this.block(block));
    const apart = axes.procedures.apart;
    const found = new Uint32Array(cells.rank.length);
    let count = 0;
    for (let cell = 0; cell < found.length; cell++) {
      const procedure = cells.procedure[cell];
      if (
        this.procedures[procedure] &&
        !apart[procedure] &&
        this.communicators[cells.communicator[cell]] &&
        this.sizes[cells.size[cell]] &&
        this.regions[cells.region[cell]] &&
        this.sites[cells.site[cell]] &&
        blocks[cells.rank[cell]]
      )
        found[count++] = cell;
    }
    this.found = found.subarray(0, count);
    return this.found;
  }

  /** Sums of the chosen cells by the result of `place` for each, below `count`. */
  sums(count: number, place: (cell: number) => number): Sums {
    const zeros = () => new Float64Array(count);
    const found: Sums = {
      calls: zeros(),
      sent: zeros(),
      received: zeros(),
      seconds: zeros(),
      unfinished: zeros(),
    };
    const { cells } = this.run;
    for (const cell of this.cells) {
      const at = place(cell);
      found.calls[at] += cells.calls[cell];
      found.sent[at] += cells.sent[cell];
      found.received[at] += cells.received[cell];
      found.seconds[at] += cells.seconds[cell];
      found.unfinished[at] += cells.unfinished[cell];
    }
    return found;
  }

  /** Sums by one of the axes. */
  by(key: Key, count: number): Sums {
    const column = this.run.cells[key];
    return this.sums(count, (cell) => column[cell]);
  }

  /** Sums of everything that is chosen. */
  get total(): { calls: number; sent: number; received: number; seconds: number } {
    const { calls, sent, received, seconds } = this.sums(1, () => 0);
    return { calls: calls[0], sent: sent[0], received: received[0], seconds: seconds[0] };
  }

  private mask(key: keyof Filter, count: number, is: (one: number) => boolean): Uint8Array {
    const all = !this.filter[key];
    const found = Uint8Array.from({ length: count }, (_, one) => Number(all || is(one)));
    if (!all && !found.includes(1)) this.unknown.push(key);
    return found;
  }
}

/** Return the ranks of a list such as `0-3,8`, those below `end`; null: all, as there is no list. */
export function ranksOf(text: string, end: number): Set<number> | null {
  if (!text) return null;
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const match = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(part);
    if (!match) return new Set();
    const last = Math.min(Number(match.at(2) ?? match[1]), end - 1);
    for (let rank = Number(match[1]); rank <= last; rank++) found.add(rank);
  }
  return found;
}

/** Return the names of the procedures that are called, without MPI_Init and MPI_Finalize. */
export function calledProcedures({ axes, cells }: RunData): string[] {
  const { name, apart } = axes.procedures;
  const called = new Uint8Array(name.length);
  for (const procedure of cells.procedure) called[procedure] = 1;
  return name.filter((_, one) => called[one] && !apart[one]);
}

/** Return the families of communicators, each with the indices of those in it. */
export function familiesOf({ communicators: { family } }: Axes): { name: string; members: number[] }[] {
  const members = new Map<string, number[]>();
  family.forEach((of, one) => {
    const list = members.get(of);
    if (list) list.push(one);
    else members.set(of, [one]);
  });
  return Array.from(members, ([name, ones]) => ({ name, members: ones }));
}
