/** What the page Balance holds: filled by python/rankwise/render/page/contents/parts/balance.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    balance?: BalanceData;
  }
}

export interface BalanceData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is, and so is the rest. */
  missing: string;
  ranks: RankData;
  waits: WaitData;
  late: LateData;
}

/** Columns of the ranks whose counters were read, ascending. */
export interface RankData {
  rank: Numbers;
  /** Seconds between MPI_Init and MPI_Finalize. */
  run: Numbers;
  /** That call MPI. */
  threads: Numbers;
  /** Seconds in MPI during the run, of all threads. */
  mpi: Numbers;
  /** Of these, in MPI-IO. */
  files: Numbers;
  initFinalize: Numbers;
  /** Bytes. */
  sent: Numbers;
  received: Numbers;
  calls: Numbers;
  /** Procedure with the most time, an index; -1: none. */
  top: Numbers;
  /** How ranks ended, and which of that each did. */
  states: string[];
  state: Numbers;
  /** Whether all came to the end of MPI_Finalize. */
  finalized: boolean;
}

/** Columns: seconds that a rank waited in a procedure on a communicator; estimates. */
export interface WaitData {
  procedure: Numbers;
  communicator: Numbers;
  rank: Numbers;
  /** In blocking collectives, for ranks that came late. */
  collectives: Numbers;
  /** In receives, waits and blocking sends, for late senders and receivers. */
  messages: Numbers;
}

/** Columns of the ranks that waited, or were waited for, ascending; seconds. */
export interface LateData {
  title: string;
  /** What it rests on. */
  notes: string[];
  /** Why nothing is known; '' = it is. */
  noCollectives: string;
  noMessages: string;
  rank: Numbers;
  waited: Numbers;
  waitedError: Numbers;
  caused: Numbers;
  causedError: Numbers;
  /** Of `caused`: why the rank was late. */
  computing: Numbers;
  inMpi: Numbers;
  leftLate: Numbers;
  firstCall: Numbers;
  /** Of `caused`, while it waited itself, most for the rank passedTo; -1: for nobody. */
  passedOn: Numbers;
  passedTo: Numbers;
  /** `caused`, when all has been passed on. */
  rootCauseInCollectives: Numbers;
  /** In collectives and for messages, when all has been passed on: over the ranks it is all waiting. */
  rootCause: Numbers;
  messagesWaited: Numbers;
  messagesCaused: Numbers;
  /** Waits for messages that began with it. */
  rootCauseForMessages: Numbers;
  /** The most ranks that waited in a row for it. */
  chain: Numbers;
}
