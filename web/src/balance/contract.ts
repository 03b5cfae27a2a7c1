/** The data of the page Balance: written by python/rankwise/render/page/contents/parts/balance.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    balance?: BalanceData;
  }
}

export interface BalanceData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data, and all other members exist. */
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
  /** Threads that call MPI. */
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
  /** How ranks ended, and an index into it for each rank. */
  states: string[];
  state: Numbers;
  /** Whether all ranks finished MPI_Finalize. */
  finalized: boolean;
}

/** Columns: seconds that a rank waited in a procedure on a communicator; estimates. */
export interface WaitData {
  procedure: Numbers;
  communicator: Numbers;
  rank: Numbers;
  /** In blocking collectives, for late ranks. */
  collectives: Numbers;
  /** In receives, waits and blocking sends, for late senders and receivers. */
  messages: Numbers;
}

/** Columns of the ranks that waited, or were waited for, ascending; seconds. */
export interface LateData {
  title: string;
  /** The basis of the estimate. */
  notes: string[];
  /** Why nothing is known; '' = something is known. */
  noCollectives: string;
  noMessages: string;
  rank: Numbers;
  waited: Numbers;
  waitedError: Numbers;
  caused: Numbers;
  causedError: Numbers;
  /** Part of `caused`, by the reason why the rank was late. */
  computing: Numbers;
  inMpi: Numbers;
  leftLate: Numbers;
  firstCall: Numbers;
  /** Part of `caused` while it waited itself, mostly for the rank passedTo; -1: for none. */
  passedOn: Numbers;
  passedTo: Numbers;
  /** `caused`, after everything has been passed on. */
  rootCauseInCollectives: Numbers;
  /** In collectives and for messages, after everything has been passed on: its sum is the whole waiting time. */
  rootCause: Numbers;
  messagesWaited: Numbers;
  messagesCaused: Numbers;
  /** Waits for messages that began with this rank. */
  rootCauseForMessages: Numbers;
  /** The longest chain of ranks that waited for it one after the other. */
  chain: Numbers;
}
