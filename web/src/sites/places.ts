/** The table of places that call MPI: one row for each place and procedure. */
import type { Context } from "../shell/context.ts";
import { order } from "../shell/order.ts";
import { redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { dataTable, type TableColumn } from "../ui/table.ts";
import { countOf, percentText, secondText } from "../units.ts";
import { evenness, times, volumes } from "./columns.ts";
import { imbalance, named, perCall } from "./groups.ts";
import { LIBRARY } from "./libraries.ts";
import type { Row, SitesView } from "./view.ts";

const FIND = "find";
const MOST = 25;

export class Places {
  private readonly figure = figure(
    "places",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private readonly find = element("input");
  private readonly shown = element("div");
  private readonly told = element("p", [], "hint");
  private view: SitesView | null = null;

  constructor(private readonly context: Context) {
    const { find } = this;
    find.type = "search";
    find.placeholder = "Find a place, a function, a call …";
    find.setAttribute("aria-label", "find a place, a function, a file or a call in this table");
    find.addEventListener("input", () => {
      context.choose(FIND, find.value || null);
    });
    this.told.setAttribute("role", "status");
    this.figure.body.append(element("div", [find, this.told], "finder"), this.shown);
  }

  show(view: SitesView): void {
    this.view = view;
    if (document.activeElement !== this.find) this.find.value = this.wanted;
    const rows = this.rows(view);
    this.figure.title.textContent = view.rows.length
      ? `${view.told(view.rows[0])} takes ${percentText(view.seconds ? view.rows[0].group.seconds / view.seconds : 0)} of the time in MPI${view.selection.left}`
      : "No call is in the selected part of the run";
    const of = rows.length < view.rows.length ? ` of ${view.rows.length.toLocaleString("en")}` : "";
    this.told.textContent = `${countOf(rows.length, "row")}${of}${this.library ? ` in ${this.library}` : ""}`;
    redraw(this.shown, [
      dataTable(columns(view), rows, {
        label: "places that call MPI",
        empty: "No place matches.",
        most: MOST,
        ...order(this.context, "order"),
        pick: ({ site }) => {
          view.choose(site);
        },
        isPicked: ({ site }) => site === view.chosen,
      }),
    ]);
    this.figure.caption.textContent =
      "A row is a place and the procedure that it calls; time is summed over ranks. " + view.data.hint;
    this.figure.use.textContent = "Click a row to restrict the whole report to the calls of that place.";
  }

  private get wanted(): string {
    return this.context.state.options.get(FIND) ?? "";
  }

  private get library(): string {
    return this.context.state.options.get(LIBRARY) ?? "";
  }

  private rows(view: SitesView): Row[] {
    const { data } = view;
    const wanted = this.wanted.trim().toLowerCase();
    return view.rows.filter((row) => {
      if (this.library && data.libraries.name[data.libraryOf[row.site]] !== this.library) return false;
      const texts = [view.name(row.site), data.function[row.site], data.file[row.site], data.path[row.site]];
      return [...texts, view.procedure(row.procedure)].some((text) => text.toLowerCase().includes(wanted));
    });
  }

  private save(): void {
    const { view } = this;
    if (!view) return;
    const { axes, cells } = this.context.run;
    const head = [
      "site",
      "function",
      "file",
      "object",
      "caller",
      "call",
      "communicators",
      "calls",
      "unfinished",
    ];
    saveCsv("call-sites", [
      [...head, "sent_bytes", "received_bytes", "seconds", "seconds_per_call", "ranks", "imbalance"],
      ...this.rows(view).map(({ site, procedure, group }) => [
        view.name(site),
        view.data.function[site],
        view.data.file[site],
        view.data.path[site],
        view.libraryName(view.data.libraryOf[site]),
        view.procedure(procedure),
        named(group.communicators, axes.communicators.family)
          .map(([name]) => name)
          .join(" "),
        group.calls,
        group.unfinished,
        group.sent,
        group.received,
        group.seconds,
        perCall(group) ?? NaN,
        cells.together > 1 ? NaN : group.ranks.size,
        imbalance(group, view.selection) ?? NaN,
      ]),
    ]);
  }
}

function columns(view: SitesView): TableColumn<Row>[] {
  const { axes } = view.context.run;
  const communicators = ({ group }: Row) => named(group.communicators, axes.communicators.family);
  return [
    {
      name: "place",
      meaning:
        "file and line of the call, else the place in the program or library; below, function and caller",
      text: ({ site }) => place(view, site),
      value: ({ site }) => view.name(site),
    },
    {
      name: "call",
      meaning: "MPI procedure",
      text: ({ procedure }) => view.procedure(procedure),
      value: ({ procedure }) => view.procedure(procedure),
    },
    {
      name: "on",
      meaning: "communicator, or family of communicators, with the most time, and how many others",
      text: (row) => {
        const [first, ...others] = communicators(row);
        return others.length ? `${first[0]} +${others.length}` : first[0];
      },
      value: (row) => communicators(row)[0][0],
    },
    ...volumes<Row>(),
    ...times<Row>(view),
    {
      name: "per call",
      meaning: "mean time of a call",
      right: true,
      text: ({ group }) => {
        const seconds = perCall(group);
        return seconds === null ? "·" : secondText(seconds);
      },
      value: ({ group }) => perCall(group),
    },
    ...evenness<Row>(view),
  ];
}

function place(view: SitesView, site: number): HTMLElement {
  const { data } = view;
  const caller = view.libraryName(data.libraryOf[site]);
  const below = data.function[site] ? `${data.function[site]} · ${caller}` : caller;
  const made = element("span", [element("span", view.name(site)), element("span", below, "sub")], "place");
  made.title = data.file[site] || data.path[site];
  return made;
}
