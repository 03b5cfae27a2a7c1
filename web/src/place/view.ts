/** The data that all figures of the page show: the place of each rank, and the amount for its colour. */
import type { Context } from "../shell/context.ts";
import { ranksOf, type Selection } from "../shell/selection.ts";
import { stepOf, type Theme } from "../ui/colours.ts";
import type { Facts } from "../ui/tip.ts";
import { countOf, percentText, secondText } from "../units.ts";
import type { PlaceData, Shape } from "./contract.ts";

export const AMOUNTS = ["in MPI", "waiting", "moves"] as const;
export type Amount = (typeof AMOUNTS)[number];

export class PlaceView {
  readonly amount: Amount;
  readonly theme: Theme;
  /** By rank: seconds in the calls that are chosen. */
  readonly seconds: Float64Array;
  /** By rank: the amount for its colour. */
  readonly values: Float64Array;
  readonly most: number;
  /** By node. */
  readonly ranks: number[][];
  /**
   * The part that is chosen without regard to ranks and nodes: the others are shown next to the chosen ones, faintly.
   */
  private readonly around: Selection;
  private readonly cpus = new Map<number, readonly number[]>();

  constructor(
    readonly context: Context,
    readonly data: PlaceData,
  ) {
    const { axes, cells } = context.run;
    this.theme = context.theme;
    this.amount = context.option("colour", AMOUNTS);
    this.around = context.without("ranks", "node");
    this.ranks = axes.hosts.map(() => []);
    for (let rank = 0; rank < axes.ranks; rank++) this.ranks.at(axes.hostOf[rank])?.push(rank);
    const blocks = Math.ceil(axes.ranks / cells.together);
    const sums = this.around.by("rank", blocks).seconds;
    this.seconds = Float64Array.from({ length: axes.ranks }, (_, rank) => {
      const block = Math.floor(rank / cells.together);
      return sums[block] / Math.min(cells.together, axes.ranks - block * cells.together);
    });
    const { moves, waited } = data.ranks;
    const { amount } = this;
    this.values = Float64Array.from({ length: axes.ranks }, (_, rank) => {
      if (amount === "moves") return moves[rank];
      return this.shareOfRun(rank, amount === "waiting" ? waited[rank] : this.seconds[rank]);
    });
    this.most = this.values.reduce((a, b) => Math.max(a, b), 0);
  }

  get hosts(): string[] {
    return this.context.run.axes.hosts;
  }

  shape(node: number): Shape | null {
    return (
      this.data.shapes.at(this.data.nodes.shape[node] < 0 ? Infinity : this.data.nodes.shape[node]) ?? null
    );
  }

  colour(rank: number): string {
    return this.theme.ramp[stepOf(this.values[rank], this.most, false)];
  }

  isChosen(rank: number): boolean {
    return this.context.selection.ranks[rank] === 1;
  }

  amountText(value: number): string {
    return this.amount === "moves" ? String(Math.round(value)) : percentText(value);
  }

  /** Processors of a list. */
  processors(list: number): readonly number[] {
    const known = this.cpus.get(list);
    if (known) return known;
    const found = [...(ranksOf(this.data.lists[list], Infinity) ?? [])];
    this.cpus.set(list, found);
    return found;
  }

  /** Where a rank is drawn: on the processors to which it is bound, or else on those where it was seen. */
  drawnOn(rank: number): readonly number[] {
    const { bound, cpus, seen } = this.data.ranks;
    return this.processors(bound[rank] ? cpus[rank] : seen[rank]);
  }

  faultsOf(ranks: readonly number[]): string[] {
    const bits = ranks.reduce((all, rank) => all | this.data.ranks.faults[rank], 0);
    return this.data.kinds.filter((_, kind) => bits & (1 << kind));
  }

  threadText(rank: number): string {
    const { threads, omp } = this.data.ranks;
    return `${threads[rank]}${omp[rank] ? ` (OMP_NUM_THREADS=${omp[rank]})` : ""}`;
  }

  moveText(rank: number): string {
    const { moves, looks } = this.data.ranks;
    return looks[rank] ? `${moves[rank]} of ${countOf(looks[rank], "look")}` : "not known";
  }

  listText(list: number): string {
    return this.data.lists[list] || "not known";
  }

  /** Facts about a rank. */
  facts(rank: number): Facts {
    const { ranks } = this.data;
    const faults = this.faultsOf([rank]);
    const waited = ranks.waited[rank];
    return {
      head: `rank ${rank}`,
      note: faults.join(", ") || (ranks.bound[rank] ? "bound" : "not bound"),
      rows: [
        ["may use", this.listText(ranks.cpus[rank])],
        ["seen on", this.listText(ranks.seen[rank])],
        ["moves", this.moveText(rank)],
        ["threads", this.threadText(rank)],
        ["in MPI", this.mpiText(rank)],
        ...(this.data.waiting
          ? ([
              ["waiting", `${secondText(waited)}, ${percentText(this.shareOfRun(rank, waited))} of its run`],
            ] as [string, string][])
          : []),
      ],
    };
  }

  mpiText(rank: number): string {
    const seconds = this.seconds[rank];
    return `${secondText(seconds)}, ${percentText(this.shareOfRun(rank, seconds))} of its run`;
  }

  shareOfRun(rank: number, seconds: number): number {
    const run = this.data.ranks.run[rank];
    return run ? seconds / run : 0;
  }
}

/** In the notation of the filter of ranks: `0-3,8`. */
export function rankText(ranks: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const rank of ranks) {
    const last = runs.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(",");
}
