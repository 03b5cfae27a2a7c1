/** The composition of the calls of the chosen place: by communicator, size and rank. */
import type { Context } from "../shell/context.ts";
import { redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { type Cell, saveCsv } from "../ui/files.ts";
import { rankBars } from "../ui/rank_bars.ts";
import { dataTable } from "../ui/table.ts";
import { percentText, secondText } from "../units.ts";
import { emptyGroup, type Group, groups, named, ranksRead } from "./groups.ts";
import type { SitesView } from "./view.ts";

const MOST = 8;

export class Split {
  private readonly figure = figure(
    "split",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private group: Group = emptyGroup(0);

  constructor(private readonly context: Context) {}

  show(view: SitesView): void {
    const { context } = this;
    const { axes, cells } = context.run;
    const { selection } = context;
    const [group = emptyGroup(0)] = groups(selection, () => 0);
    this.group = group;
    const whose = view.chosen < 0 ? "All places" : view.name(view.chosen);
    const share = view.seconds ? group.seconds / view.seconds : 0;
    this.figure.title.textContent =
      view.chosen < 0
        ? `All places: ${secondText(group.seconds)} in MPI`
        : `${whose}: ${secondText(group.seconds)}, ${percentText(share)} of the time in MPI${view.selection.left}`;
    const mean = group.seconds / Math.max(1, ranksRead(selection));
    const bars = rankBars({
      values: Float64Array.from({ length: axes.ranks }, (_, rank) =>
        cells.together > 1 ? 0 : (group.ranks.get(rank) ?? 0),
      ),
      chosen: selection.ranks,
      width: this.figure.body.clientWidth || 300,
      theme: context.theme,
      text: secondText,
      label: `time of ${whose} by rank`,
      choose: (ranks) => {
        context.toggle("ranks", ranks);
      },
    });
    const ranks =
      cells.together > 1
        ? element("p", `Ranks are stored in groups of ${cells.together} in this report.`, "sub")
        : element("div", [bars, element("p", `mean ${secondText(mean)} a rank`, "sub")]);
    const sizes = axes.sizes.map((name, size): [string, number] => [name, group.sizes.get(size) ?? 0]);
    redraw(this.figure.body, [
      element("h3", "By rank"),
      ranks,
      element("h3", "By communicator"),
      this.table("communicator", named(group.communicators, axes.communicators.name), (name) => {
        context.toggle("communicator", name);
      }),
      element("h3", "By size"),
      this.table(
        "size",
        sizes.filter(([, seconds]) => seconds > 0),
        (name) => {
          const { sizeFrom, sizeTo } = context.state.filter;
          const is = sizeFrom === name && sizeTo === name;
          context.filter(is ? { sizeFrom: "", sizeTo: "" } : { sizeFrom: name, sizeTo: name });
        },
      ),
    ]);
    this.figure.use.textContent =
      view.chosen < 0
        ? "Click the table or the picture above to show the parts of a place."
        : "Each selection restricts the report further.";
    this.figure.caption.textContent =
      view.chosen < 0
        ? ""
        : "Waiting is recorded by communicator and call, not by place: see the page Balance.";
  }

  private table(what: string, rows: [string, number][], choose: (name: string) => void): HTMLElement {
    const all = rows.reduce((sum, [, seconds]) => sum + seconds, 0) || 1;
    return dataTable<[string, number]>(
      [
        { name: what, meaning: "", text: ([name]) => name, value: ([name]) => name },
        {
          name: "time",
          meaning: "summed over ranks",
          right: true,
          text: ([, seconds]) => secondText(seconds),
          value: ([, seconds]) => seconds,
          bar: ([, seconds]) => seconds / all,
        },
        {
          name: "share",
          meaning: "of the time of these calls",
          right: true,
          text: ([, seconds]) => percentText(seconds / all),
          value: ([, seconds]) => seconds,
        },
      ],
      rows,
      {
        label: `time by ${what}`,
        empty: "No call is in the selected part of the run.",
        most: MOST,
        pick: ([name]) => {
          choose(name);
        },
      },
    );
  }

  private save(): void {
    const { axes, cells } = this.context.run;
    const { communicators, sizes, ranks } = this.group;
    const rows: Cell[][] = [["by", "of", "seconds"]];
    for (const [name, seconds] of named(communicators, axes.communicators.name))
      rows.push(["communicator", name, seconds]);
    for (const [size, seconds] of [...sizes].sort(([one], [other]) => one - other))
      rows.push(["size", axes.sizes[size], seconds]);
    for (const [rank, seconds] of [...ranks].sort(([one], [other]) => one - other))
      rows.push(["rank", rank * cells.together, seconds]);
    saveCsv("call-site", rows);
  }
}
