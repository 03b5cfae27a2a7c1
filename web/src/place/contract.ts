/** The data of the page Place: written by python/rankwise/render/page/contents/parts/place.py. */
import type { Numbers, TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    place?: PlaceData;
  }
}

export interface PlaceData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data. */
  missing: string;
  /** Why no node is drawn; '' = some can be drawn. */
  unseen: string;
  /** The different node layouts. */
  shapes: Shape[];
  /** In the order of the hosts on the axis. */
  nodes: {
    /** -1: not known. */
    shape: Numbers;
    /** The same for equivalent nodes, with their ranks in the same places. */
    kind: Numbers;
    /** Bytes of point-to-point and one-sided messages from its ranks. */
    onNode: Numbers;
    offNode: Numbers;
    unplaced: Numbers;
  };
  ranks: {
    /** Index into the lists: processors that it was allowed to use, and processors that it was seen on. */
    cpus: Numbers;
    seen: Numbers;
    bound: Numbers;
    looks: Numbers;
    /** Number of samples in which its processor differed from the previous sample. */
    moves: Numbers;
    /** Threads that need a core. */
    threads: Numbers;
    /** OMP_NUM_THREADS; 0 = not set. */
    omp: Numbers;
    /** Bits by index into the kinds of faults. */
    faults: Numbers;
    /** Seconds between MPI_Init and MPI_Finalize, times the threads that call MPI. */
    run: Numbers;
    /** Seconds that it waited for others; in the whole run. */
    waited: Numbers;
  };
  /** Processors, as `0-3,8`. */
  lists: string[];
  /** Whether waiting times are known. */
  waiting: boolean;
  /** Names of faults. */
  kinds: string[];
  faults: { kind: string; hosts: Numbers; ranks: string; what: string; cure: string }[];
  /** The cost of the faults, in the words of `rankwise explain`. */
  findings: { rule: string; title: string; seconds: number; confidence: string }[];
  /** What the network ports of the nodes moved; null = nothing was sampled. */
  network: NetworkData | null;
}

export interface NetworkData {
  title: string;
  portsTitle: string;
  nodes: TableData;
  ports: TableData;
  /** null = their time is not known. */
  rates: NetworkRates | null;
}

/** Bytes a second, in parts of the run of the same width (seconds). */
export interface NetworkRates {
  begin: number;
  width: number;
  ports: Numbers;
  messages: Numbers;
}

/** Processors of a node; -1: not known. */
export interface Shape {
  text: string;
  processor: Numbers;
  package: Numbers;
  numa: Numbers;
  /** The lowest processor that shares it. */
  l3: Numbers;
  /** The lowest processor of the core. */
  core: Numbers;
  /** 1: of an efficiency core. */
  efficiency: Numbers;
  devices: { kind: string; name: string; numa: number }[];
}
