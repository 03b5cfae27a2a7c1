/** The measures of calls: sums, and ratios of them. */
import type { Amounts } from "../shell/amounts.ts";
import { byteText, countText, secondText } from "../units.ts";

export interface Measure {
  name: string;
  text: string;
  /** The values' meaning, for the caption. */
  meaning: string;
  /** null: there is no value. */
  value: (of: Amounts) => number | null;
  told: (value: number) => string;
  /** Whether values can be added up, and have shares. */
  adds: boolean;
}

export const MEASURES: readonly Measure[] = [
  {
    name: "time",
    text: "time",
    meaning: "time in the calls, summed over ranks; +: with calls that never returned",
    value: ({ seconds }) => seconds || null,
    told: secondText,
    adds: true,
  },
  {
    name: "calls",
    text: "calls",
    meaning: "number of calls, summed over ranks",
    value: ({ calls }) => calls || null,
    told: countText,
    adds: true,
  },
  {
    name: "sent",
    text: "bytes sent",
    meaning: "bytes sent; for collectives, contributed; to files, written",
    value: ({ sent }) => sent || null,
    told: byteText,
    adds: true,
  },
  {
    name: "received",
    text: "bytes received",
    meaning: "bytes received by point-to-point and one-sided calls; from files, read",
    value: ({ received }) => received || null,
    told: byteText,
    adds: true,
  },
  {
    name: "bandwidth",
    text: "bandwidth",
    meaning:
      "bytes that the calls sent and received per second that ranks spent in them. Transfers while no rank is in a call " +
      "are not in that time, and a call that only waits has no bytes: compare calls of one kind",
    value: ({ sent, received, seconds }) => (seconds > 0 && (sent + received) / seconds) || null,
    told: (value) => `${byteText(value)}/s`,
    adds: false,
  },
  {
    name: "per-call",
    text: "time per call",
    meaning: "mean time of a call",
    value: ({ seconds, calls, unfinished }) =>
      (calls + unfinished > 0 && seconds / (calls + unfinished)) || null,
    told: secondText,
    adds: false,
  },
];
