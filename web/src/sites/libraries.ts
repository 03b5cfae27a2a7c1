/** The callers of MPI: the program and its libraries, and where in them the time goes. */
import type { Context } from "../shell/context.ts";
import { order } from "../shell/order.ts";
import { redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import { dataTable, type TableColumn } from "../ui/table.ts";
import { percentText } from "../units.ts";
import { evenness, times, volumes } from "./columns.ts";
import { type Group, imbalance } from "./groups.ts";
import { icicle, type Part } from "./icicle.ts";
import type { SitesView } from "./view.ts";

interface Row {
  library: number;
  group: Group;
}

export const LIBRARY = "library";

export class Libraries {
  private readonly figure = figure(
    "libraries",
    () => {
      this.save();
    },
    () => {
      if (this.drawn) saveSvg("time-by-place", [{ title: this.figure.title.textContent, svg: this.drawn }]);
    },
  );
  readonly card = this.figure.card;
  private view: SitesView | null = null;
  private drawn: SVGElement | null = null;

  constructor(private readonly context: Context) {
    this.card.classList.add("wide");
    this.figure.caption.textContent =
      "Rows from top to bottom: program or library, function if known, place. The width is the time in MPI, summed over ranks; grey: many" +
      " small ones. Calls through a library count for that library.";
    this.figure.use.textContent =
      "Click a row of the table to show only its places, or the picture to restrict the report to a place.";
  }

  show(view: SitesView): void {
    this.view = view;
    const rows = rowsOf(view);
    this.figure.title.textContent = title(view, rows);
    const columns: TableColumn<Row>[] = [
      {
        name: "caller",
        meaning: "library that calls MPI, or the program itself",
        text: ({ library }) => view.libraryName(library),
        value: ({ library }) => view.libraryName(library),
      },
      {
        name: "places",
        meaning: "in it that call MPI",
        right: true,
        text: ({ group }) => String(group.sites.size),
        value: ({ group }) => group.sites.size,
      },
      ...volumes<Row>(),
      ...times<Row>(view),
      {
        name: "top call",
        meaning: "procedure that takes most of its time",
        text: ({ group }) => topCall(view, group),
        value: ({ group }) => topCall(view, group),
      },
      ...evenness<Row>(view),
    ];
    const table = dataTable(columns, rows, {
      label: "programs and libraries that call MPI",
      empty: "No call is in the selected part of the run.",
      most: 8,
      ...order(this.context, "callers"),
      pick: ({ library }) => {
        const name = view.data.libraries.name[library];
        this.context.choose(LIBRARY, this.context.state.options.get(LIBRARY) === name ? null : name, true);
      },
      isPicked: ({ library }) =>
        this.context.state.options.get(LIBRARY) === view.data.libraries.name[library],
    });
    const width = this.figure.body.clientWidth || this.card.clientWidth - 34;
    this.drawn = icicle(parts(view), {
      width,
      theme: this.context.theme,
      chosen: view.chosen,
      left: view.selection.left,
      choose: (site) => {
        view.choose(site);
      },
    });
    redraw(this.figure.body, [element("div", this.drawn, "icicle"), table]);
  }

  private save(): void {
    const { view } = this;
    if (!view) return;
    const head = ["caller", "places", "calls", "sent_bytes", "received_bytes", "seconds", "top_call"];
    saveCsv("callers", [
      [...head, "ranks", "imbalance"],
      ...rowsOf(view).map(({ library, group }) => [
        view.libraryName(library),
        group.sites.size,
        group.calls,
        group.sent,
        group.received,
        group.seconds,
        topCall(view, group),
        view.context.run.cells.together > 1 ? NaN : group.ranks.size,
        imbalance(group, view.selection) ?? NaN,
      ]),
    ]);
  }
}

function rowsOf(view: SitesView): Row[] {
  return view.libraries.map((group) => ({ library: group.key, group }));
}

function topCall(view: SitesView, group: Group): string {
  const [top] = [...group.procedures].sort(([, one], [, other]) => other - one);
  return view.procedure(top[0]);
}

function title(view: SitesView, rows: readonly Row[]): string {
  if (!rows.length) return "No call is in the selected part of the run";
  const [{ library, group }] = rows;
  const { isProgram, name } = view.data.libraries;
  const who = isProgram[library] ? "The program itself" : name[library];
  return `${who} takes ${percentText(view.seconds ? group.seconds / view.seconds : 0)} of the time in MPI${view.selection.left}`;
}

/** Libraries, functions in them, places in these. */
function parts(view: SitesView): Part[] {
  const { data } = view;
  return view.libraries.map((group) => {
    const functions = new Map<string, Part>();
    for (const [site, seconds] of [...group.sites].sort(([, one], [, other]) => other - one)) {
      const name = data.function[site] || "unknown function";
      const within = functions.get(name) ?? { name, seconds: 0, site: -1, inside: [] };
      within.seconds += seconds;
      within.inside.push({ name: view.name(site), seconds, site, inside: [] });
      functions.set(name, within);
    }
    const named = [...functions.values()].sort((one, other) => other.seconds - one.seconds);
    const inside = named.length === 1 && !data.function[named[0].inside[0].site] ? named[0].inside : named;
    return { name: view.libraryName(group.key), seconds: group.seconds, site: -1, inside };
  });
}
