/** The data that all figures of the page show: calls by place and procedure, in the chosen part of the run. */
import type { Context } from "../shell/context.ts";
import type { Selection } from "../shell/selection.ts";
import type { SitesData } from "./contract.ts";
import { type Group, groups } from "./groups.ts";

/** Calls of one procedure at one place. */
export interface Row {
  site: number;
  procedure: number;
  group: Group;
}

export class SitesView {
  readonly rows: Row[];
  readonly seconds: number;
  /** Index of the chosen place; -1: none. */
  readonly chosen: number;

  constructor(
    readonly context: Context,
    readonly data: SitesData,
    /** All places: the chosen one is marked among them. */
    readonly selection: Selection = context.without("site"),
  ) {
    const { axes, cells } = context.run;
    const width = axes.procedures.name.length;
    const found = groups(this.selection, (cell) => cells.site[cell] * width + cells.procedure[cell]);
    this.rows = found.map((group) => ({
      site: Math.floor(group.key / width),
      procedure: group.key % width,
      group,
    }));
    this.seconds = found.reduce((sum, group) => sum + group.seconds, 0);
    const { site } = context.state.filter;
    this.chosen = site ? axes.sites.indexOf(site) : -1;
  }

  get libraries(): Group[] {
    const { site } = this.context.run.cells;
    return groups(this.selection, (cell) => this.data.libraryOf[site[cell]]);
  }

  name(site: number): string {
    return this.context.run.axes.sites[site];
  }

  procedure(procedure: number): string {
    return this.context.run.axes.procedures.name[procedure];
  }

  libraryName(library: number): string {
    const { name, isProgram } = this.data.libraries;
    return isProgram[library] ? `${name[library]} (program)` : name[library];
  }

  /** `Allreduce at solver.cc:12, in step,` */
  told({ site, procedure }: Row): string {
    if (!site) return `${this.procedure(procedure)} from unknown places`;
    const within = this.data.function[site];
    return `${this.procedure(procedure)} at ${this.name(site)}${within ? `, in ${within},` : ""}`;
  }

  choose(site: number): void {
    this.context.toggle("site", this.name(site));
  }
}
