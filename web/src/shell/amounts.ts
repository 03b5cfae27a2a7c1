/** Sums over calls. */
import type { Sums } from "./selection.ts";

export interface Amounts {
  calls: number;
  unfinished: number;
  sent: number;
  received: number;
  seconds: number;
}

const NOTHING: Amounts = { calls: 0, unfinished: 0, sent: 0, received: 0, seconds: 0 };

export function amountsAt(sums: Sums, place: number): Amounts {
  return {
    calls: sums.calls[place],
    unfinished: sums.unfinished[place],
    sent: sums.sent[place],
    received: sums.received[place],
    seconds: sums.seconds[place],
  };
}

export function added(all: readonly Amounts[]): Amounts {
  const sum = { ...NOTHING };
  for (const one of all) for (const key of Object.keys(sum) as (keyof Amounts)[]) sum[key] += one[key];
  return sum;
}

export function called({ calls, unfinished, seconds }: Amounts): boolean {
  return calls + unfinished + seconds > 0;
}
