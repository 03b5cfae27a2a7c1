/** The data of the page Matrix: written by python/rankwise/render/page/contents/parts/messages.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    messages?: MessagesData;
  }
}

export interface MessagesData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data. */
  missing: string;
  kinds: string[];
  /** Groups of messages that are distinguished: indices into the axes, and into kinds. */
  groups: { communicator: Numbers; procedure: Numbers; kind: Numbers };
  ranks: PairsData;
  /** Between nodes; null: they are the sums of `ranks`, because each rank is distinguished there. */
  nodes: PairsData | null;
  /** Collectives whose messages are not all visible; why: index into texts. */
  hidden: { communicator: Numbers; procedure: Numbers; why: Numbers; texts: string[] };
}

/** Ascending by source, destination and group; ranks in a block are one: number / together. */
export interface PairsData {
  together: number;
  source: Numbers;
  destination: Numbers;
  group: Numbers;
  bytes: Numbers;
  messages: Numbers;
  /** From or to ends without a row, by group. */
  unplaced: { bytes: Numbers; messages: Numbers };
}
