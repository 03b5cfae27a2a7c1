/** The data of the page Communicators: written by python/rankwise/render/page/contents/parts/communicators.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    communicators?: CommunicatorsData;
  }
}

/** Lists in the order of the communicators' axis: each communicator, or each family of them. */
export interface CommunicatorsData {
  /** Seconds of the run. */
  wall: number;
  /** Number of communicators that it represents; 0: (none), (several) and (other). */
  count: Numbers;
  /** Processes of the smallest and of the largest; remote: of the other group of an intercommunicator. */
  least: Numbers;
  most: Numbers;
  remote: Numbers;
  /** communicator, window, file; '' = other. */
  type: string[];
  /** Names from the program, without repeats; none if one of several has none. */
  userNames: string[][];
  /** Procedure that made it; '' = predefined. */
  maker: string[];
  /** Origin of the other group of an intercommunicator; '' = none. */
  remoteParent: string[];
  /** `cart 4x2`; `-` = none. */
  topology: string[];
  /** `done`, `asked`, `-`. */
  reorder: string[];
  /** World ranks, `0-3,8,12-96:4`, of an intercommunicator both groups, `0 + 1-3`: without repeats, the first ones. */
  groups: string[][];
  moreGroups: Numbers;
  /** All members of a family; '' = the members of its only group. */
  members: string[];
  /** Seconds after the start; -1: not known, or not freed. */
  created: Numbers;
  freed: Numbers;
  /** Programs and libraries, and places in the source, whose calls made them. */
  madeIn: string[][];
  madeAt: string[][];
  /** Of families: time in blocking collectives with known arrivals, and the waiting in it. */
  waiting: [family: string, seconds: number, waiting: number][];
}
