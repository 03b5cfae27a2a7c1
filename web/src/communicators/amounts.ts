/** The traffic of each communicator, in the part of the run that the filters leave. */
import type { Selection } from "../shell/selection.ts";
import { type Amounts, added, amountsAt } from "../shell/amounts.ts";
import type { Branch } from "./model.ts";

export class CommunicatorAmounts {
  readonly all: Amounts;
  private readonly each: Amounts[];
  /** For each communicator, the seconds of each operation, by procedure and size. */
  private readonly operations = new Map<number, Map<number, number>>();

  constructor(private readonly selection: Selection) {
    const { axes, cells } = selection.run;
    const count = axes.communicators.name.length;
    const sums = selection.by("communicator", count);
    this.each = Array.from({ length: count }, (_, one) => amountsAt(sums, one));
    this.all = added(this.each);
    for (const cell of selection.cells) {
      const one = cells.communicator[cell];
      const operation = cells.procedure[cell] * axes.sizes.length + cells.size[cell];
      let known = this.operations.get(one);
      if (!known) this.operations.set(one, (known = new Map<number, number>()));
      known.set(operation, (known.get(operation) ?? 0) + cells.seconds[cell]);
    }
  }

  of(branch: Branch): Amounts {
    return branch.ones.length === 1
      ? this.each[branch.ones[0]]
      : added(branch.ones.map((one) => this.each[one]));
  }

  /** `Allreduce 8-15 B`: the operation with the most time; '' = nothing was called. */
  top(branch: Branch): string {
    const sums = new Map<number, number>();
    for (const one of branch.ones)
      for (const [operation, seconds] of this.operations.get(one) ?? [])
        sums.set(operation, (sums.get(operation) ?? 0) + seconds);
    let [best, most] = [-1, -1];
    for (const [operation, seconds] of sums) if (seconds > most) [best, most] = [operation, seconds];
    if (best < 0) return "";
    const { axes } = this.selection.run;
    const size = axes.sizes[best % axes.sizes.length];
    const name = axes.procedures.name[Math.floor(best / axes.sizes.length)];
    // Most calls without bytes never have any; the size of a call that never returned is not known.
    return size === "0 B" || size === "other" ? name : `${name} ${size}`;
  }
}
