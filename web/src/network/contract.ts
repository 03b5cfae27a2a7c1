/**
 * The data of the page Network: written by python/rankwise/render/network/page_data.py.
 *
 * All numbers of links and flows are columns, typed arrays of the container.
 */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    network?: NetworkData;
  }
}

/** Traffic of R ranks, G groups of it, on the rails of a fabric. */
export interface NetworkData {
  /** The finding, a sentence. */
  finding: string;
  /** The limit of the traffic, a sentence; the size of job and fabric, and warnings: phrases. */
  lead: string;
  about: string[];
  warnings: string[];
  /** How to read it, and the sources of routes and places: phrases. */
  captions: string[];
  ranks: number;
  hosts: string[];
  /** Index into hosts of each rank. */
  hostOf: Numbers;
  /** Names on the axes ('': several small ones of a family), and names from the program. */
  communicators: { name: string[]; label: string[] };
  /**
   * Communicators that were made in the same way, by their names on the axes; for each communicator an index into them.
   */
  families: string[];
  familyOf: Numbers;
  /** The traffic of a family by one call, in words. */
  causes: string[];
  procedures: string[];
  kinds: string[];
  /** Of each group an index into the lists above. */
  groups: { communicator: Numbers; procedure: Numbers; kind: Numbers; cause: Numbers };
  classes: string[];
  rails: RailData[];
  flows: FlowData;
}

/** The part of a subnet that the job uses: S switches, P host ports, L directed links. */
export interface RailData {
  name: string;
  /** What the switches form, in a word, if they have no levels; '' elsewhere. */
  topology: string;
  /**
   * x from 0 to 1 in the drawing; levels from 1. place: where each is in the topology, in words; empty if they have
   * levels.
   */
  switches: { name: string[]; level: Numbers; place: string[]; x: Numbers };
  ports: { name: string[]; host: string[]; device: string[]; x: Numbers };
  /**
   * Ports of the ranks: for each W places, or -1. `part`: the share of the rank's traffic on this rail that takes the
   * port. `wanted`: the share of the rank's whole traffic that uses this rail.
   */
  places: { width: number; port: Numbers; part: Numbers; wanted: Numbers };
  /**
   * An end below S is a switch, else S + port. Cable k has the links 2 k and 2 k + 1. Rates: B/s, NaN: unknown. width:
   * lanes, 0: unknown. slow: 1 of cables that are slower than their parallels.
   */
  links: {
    source: Numbers;
    sourcePort: Numbers;
    destination: Numbers;
    destinationPort: Numbers;
    rate: Numbers;
    width: Numbers;
    slow: Numbers;
    class: Numbers;
  };
  /**
   * The port through which each switch sends a message, by destination and route: (S, C, width), `none` without a
   * route. The destinations of port p are start[p] to start[p + 1], its LIDs, each for an equal part of its traffic.
   * null: left out, because there would be too many.
   */
  forward: { width: number; none: number; ports: Numbers; start: Numbers } | null;
  loads: Loads;
  /**
   * Traffic that must pass sets of links with any routing: all traffic that leaves a part of the fabric must take one
   * of the links of a class that lead out of it. class, links: of each set. If all links between switches are of one
   * class, one set is all of them, and traffic that must pass it counts once for each link of a shortest route.
   */
  cuts: { class: Numbers; links: Numbers; loads: Loads };
}

/** Sparse, by group: the entries of group g are start[g] to start[g + 1]; at: a link, or a cut. */
export interface Loads {
  start: Numbers;
  at: Numbers;
  bytes: Numbers;
  messages: Numbers;
}

/** Between ranks of different hosts, by source, then destination; ranks r with the same r / together are one. */
export interface FlowData {
  together: number;
  source: Numbers;
  destination: Numbers;
  group: Numbers;
  bytes: Numbers;
  messages: Numbers;
}
