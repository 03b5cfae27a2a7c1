/** What the page Place holds: filled by python/rankwise/render/page/contents/parts/place.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    place?: PlaceData;
  }
}

export interface PlaceData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
  /** Why no node is drawn; '' = some can be. */
  unseen: string;
  /** Insides of nodes that differ. */
  shapes: Shape[];
  /** In the order of the hosts of the axis. */
  nodes: {
    /** -1: not known. */
    shape: Numbers;
    /** The same for nodes that are alike, with their ranks in the same places. */
    kind: Numbers;
    /** Bytes of point-to-point and one-sided messages from its ranks. */
    onNode: Numbers;
    offNode: Numbers;
    unplaced: Numbers;
  };
  ranks: {
    /** Index into the lists: processors that it might use, and that it was seen on. */
    cpus: Numbers;
    seen: Numbers;
    bound: Numbers;
    looks: Numbers;
    /** Of the looks, it was on another processor than at the one before. */
    moves: Numbers;
    /** That want a core. */
    threads: Numbers;
    /** OMP_NUM_THREADS; 0 = not set. */
    omp: Numbers;
    /** Bits by index into the kinds of faults. */
    faults: Numbers;
    /** Seconds between MPI_Init and MPI_Finalize, times the threads that call MPI. */
    run: Numbers;
    /** Seconds that it waited for others; of the whole run. */
    waited: Numbers;
  };
  /** Processors, as `0-3,8`. */
  lists: string[];
  /** Whether it is known who waited. */
  waiting: boolean;
  /** Of faults. */
  kinds: string[];
  faults: { kind: string; hosts: Numbers; ranks: string; what: string; cure: string }[];
  /** What the faults cost, as `rankwise explain` tells it. */
  findings: { rule: string; title: string; seconds: number; confidence: string }[];
}

/** Processors of a node; -1: not known. */
export interface Shape {
  text: string;
  processor: Numbers;
  package: Numbers;
  numa: Numbers;
  /** The lowest processor that shares it. */
  l3: Numbers;
  /** The lowest processor of it. */
  core: Numbers;
  /** 1: of an efficiency core. */
  efficiency: Numbers;
  devices: { kind: string; name: string; numa: number }[];
}
