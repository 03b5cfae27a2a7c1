/**
 * The callers of the places that call MPI: a tree that opens from each place to its callers, and from these to theirs.
 */
import type { Context } from "../shell/context.ts";
import type { Filter } from "../shell/state.ts";
import { redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { edged } from "../ui/edges.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { treeTable } from "../ui/tree.ts";
import { percentText } from "../units.ts";
import {
  type Branch,
  callTrees,
  frameText,
  isUnknown,
  rootKey,
  shareAt,
  shareText,
  shownBranches,
  withoutPath,
} from "./call_tree.ts";
import { callerColumns, callerCsv, type Line } from "./caller_columns.ts";
import type { SitesData } from "./contract.ts";
import { LIBRARY } from "./libraries.ts";
import { SitesView } from "./view.ts";

/** Number of places that are shown at first. */
const MOST = 8;

/** Filters that do not distinguish callers. */
const NOT_BY = {
  communicator: "communicator",
  sizeFrom: "size",
  sizeTo: "size",
  ranks: "rank",
  node: "node",
  region: "region",
} as const satisfies Partial<Record<keyof Filter, string>>;
const NOT_FOLLOWED = Object.keys(NOT_BY) as (keyof typeof NOT_BY)[];

/** Report the filters in use that do not affect the tree, and why; '' = none. */
export function ignoredByCallers({ callers }: SitesData, filter: Filter): string {
  const by = new Set(NOT_FOLLOWED.filter((key) => filter[key]).map((key) => NOT_BY[key]));
  if (!by.size || callers.missing) return "";
  const names = [...by].join(" and ");
  return `Callers are known only for all calls at a place together: filters by ${names} do not change their tree.`;
}

export class Callers {
  private readonly figure;
  readonly card: HTMLElement;
  private readonly trees: ReadonlyMap<string, Branch>;
  /** Lines that the user opened or closed. */
  private readonly turned = new Map<string, boolean>();
  private all = false;
  private readonly drawn = element("div", [], "scroll-x");
  private readonly buttons = element("div", [], "under tools");
  private view: SitesView | null = null;

  constructor(
    private readonly context: Context,
    private readonly data: SitesData,
  ) {
    const { callers } = data;
    const save = () => {
      if (this.view) saveCsv("callers-of-places", callerCsv(this.view, callers, this.lines(this.view)));
    };
    this.figure = figure("who-calls", callers.missing ? null : save, null);
    this.card = this.figure.card;
    this.card.classList.add("wide");
    this.trees = new Map(callTrees(callers).map((tree) => [tree.key, tree]));
    if (callers.missing) {
      this.figure.title.textContent = "The callers of the places are unknown";
      this.figure.body.append(element("p", callers.missing, "empty"));
    } else this.figure.body.append(edged(this.drawn), this.buttons);
  }

  show(): void {
    if (this.data.callers.missing) return;
    const { context } = this;
    const view = new SitesView(context, this.data, context.without("site", ...NOT_FOLLOWED));
    this.view = view;
    const lines = this.lines(view);
    this.figure.title.textContent = this.title(view, lines);
    const left = this.drawn.scrollLeft;
    if (lines.length) this.draw(view, lines);
    this.drawn.scrollLeft = left;
    this.figure.body.hidden = !lines.length;
    this.figure.caption.textContent =
      "Below each place are the calls of its function, and below these their callers. Numbers of a" +
      " place are exact; ~ and ±: estimated from a sample of its calls, with an error that holds in 95 % of all cases.";
    this.figure.use.textContent =
      "The arrow keys go up and down, open and close. Click a place to restrict the report to its calls, or a caller to open or close it.";
  }

  /** The places, each as the root of its tree: all, or those in the library that is chosen above. */
  private lines(view: SitesView): Line[] {
    const library = this.context.state.options.get(LIBRARY);
    const { libraries, libraryOf } = this.data;
    return view.rows
      .filter(({ site }) => !library || libraries.name[libraryOf[site]] === library)
      .map((row) => {
        const key = rootKey(row.site, row.procedure);
        return { row, branch: this.trees.get(key) ?? withoutPath(key) };
      });
  }

  private title(view: SitesView, lines: readonly Line[]): string {
    const line = lines.find(({ row }) => row.site === view.chosen) ?? lines.at(0);
    if (!line) return "No call is in the selected part of the run";
    const { row, branch } = line;
    const share = percentText(view.seconds ? row.group.seconds / view.seconds : 0);
    const { filter } = this.context.state;
    const of = `${filter.procedure || "MPI"}${ignoredByCallers(this.data, filter) ? " of the whole run" : ""}`;
    return `${view.told(row)} takes ${share} of the time in ${of}${this.whoCalls(branch)}`;
  }

  private whoCalls({ key, callers }: Branch): string {
    const { caller, callerTime, frames } = this.data.callers;
    const at = [...this.trees.keys()].indexOf(key);
    if (at >= 0 && caller[at] >= 0)
      return `, ${shareText(shareAt(callerTime, at))} of that called by ${frameText(frames, caller[at])}`;
    if (at < 0 || callers.some(({ ends }) => isUnknown(ends))) return "; its callers are unknown";
    const who = callers.some(({ ends }) => ends === "python") ? "the Python interpreter" : "nothing";
    return `; ${who} calls its function`;
  }

  private draw(view: SitesView, all: readonly Line[]): void {
    const lines = all.filter(({ row }, place) => this.all || place < MOST || row.site === view.chosen);
    const at = view.chosen < 0 ? all[0].row.site : view.chosen;
    const open = ({ branch, row }: Line) =>
      this.turned.get(branch.key) ?? (branch.level ? branch.open : row.site === at);
    const turn = (line: Line) => {
      this.turned.set(line.branch.key, !open(line));
      this.show();
    };
    const shown = lines.flatMap(({ branch: root, row }) =>
      shownBranches(root, (branch) => open({ branch, row })).map((branch) => ({ branch, row })),
    );
    const table = treeTable(
      callerColumns(view, this.data.callers.frames),
      shown.map((line) => ({
        row: line,
        level: line.branch.level + 1,
        open: line.branch.callers.length ? open(line) : null,
        key: line.branch.key,
      })),
      {
        label: "places that call MPI, each with its callers below",
        isPicked: ({ branch, row }) => !branch.level && row.site === view.chosen,
        isFaint: ({ branch }) => branch.ends !== "",
        pick: (line) => {
          if (!line.branch.level) view.choose(line.row.site);
          else if (line.branch.callers.length) turn(line);
        },
        turn,
      },
    );
    redraw(this.drawn, [table]);
    redraw(this.buttons, this.turns(lines, all.length));
  }

  private turns(lines: readonly Line[], all: number): HTMLElement[] {
    const made = (text: string, act: () => void) => {
      const one = button(text, () => {
        act();
        this.show();
      });
      one.className = "plain";
      one.dataset.key = text;
      return one;
    };
    const turnAll = (open: boolean) => () => {
      for (const { branch: root } of lines)
        for (const branch of shownBranches(root, () => true)) this.turned.set(branch.key, open);
    };
    const rest = all - lines.length;
    const more = made(`show ${rest.toLocaleString("en")} more`, () => {
      this.all = true;
    });
    const turns = [made("open all", turnAll(true)), made("close all", turnAll(false))];
    return rest ? [...turns, more] : turns;
  }
}
