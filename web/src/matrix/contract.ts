/** What the page Matrix holds: filled by python/rankwise/render/page/contents/parts/messages.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    messages?: MessagesData;
  }
}

export interface MessagesData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
  kinds: string[];
  /** Messages that are told apart: indices into the axes, and into kinds. */
  groups: { communicator: Numbers; procedure: Numbers; kind: Numbers };
  ranks: PairsData;
  /** Between nodes; null: they are the sums of `ranks`, as each rank is told apart there. */
  nodes: PairsData | null;
  /** Collectives whose messages are not all visible; why: index into texts. */
  hidden: { communicator: Numbers; procedure: Numbers; why: Numbers; texts: string[] };
}

/** Ascending by source, destination and group; those that are together are one: number / together. */
export interface PairsData {
  together: number;
  source: Numbers;
  destination: Numbers;
  group: Numbers;
  bytes: Numbers;
  messages: Numbers;
  /** From or to what has no row, by group. */
  unplaced: { bytes: Numbers; messages: Numbers };
}
