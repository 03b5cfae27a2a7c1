/** The measures of messages: their bytes, their number, or their mean size. */
import { byteText, countText } from "../units.ts";
import type { Amounts } from "./cells.ts";

export const MEASURES = ["bytes", "messages", "size"] as const;
export type Measure = (typeof MEASURES)[number];

export function valueOf(measure: Measure, bytes: number, messages: number): number {
  if (measure === "size") return messages ? bytes / messages : 0;
  return measure === "bytes" ? bytes : messages;
}

const NEXT_TO_NOTHING = 1e-30;

/** For a cell in use: never 0, so that messages without data differ from no messages. */
export function shown(measure: Measure, { bytes, messages }: Amounts): Float32Array {
  return Float32Array.from(bytes, (size, cell) =>
    messages[cell] ? Math.max(valueOf(measure, size, messages[cell]), NEXT_TO_NOTHING) : 0,
  );
}

export function measureText(measure: Measure, value: number): string {
  return measure === "messages" ? countText(value) : byteText(value);
}

/** `8 messages`, `3.2 MiB`, `512 B a message`. */
export function amountText(measure: Measure, value: number): string {
  const text = measureText(measure, value);
  return measure === "bytes" ? text : measure === "messages" ? `${text} messages` : `${text} a message`;
}
