/** Summary of a run on one screen: reliability of the data, where the time went, next steps. */
import "./overview.css";
import { button, element } from "../ui/dom.ts";
import { figure, type Figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { givenTable, tableLines } from "../ui/table.ts";
import type { TableCell } from "../ui/data.ts";
import type { Context } from "../shell/context.ts";
import type { Page } from "../shell/page_interface.ts";
import { EVERYTHING, type Filter } from "../shell/state.ts";
import type { HeaviestCalls, OverviewData, ShortTable } from "./contract.ts";
import { efficiencyFigure } from "./efficiency.ts";
import { findingsFigure, nextCard } from "./findings.ts";
import { lateFigure } from "./late.ts";
import { timeFigure } from "./time.ts";

export const page: Page = {
  name: "overview",
  title: "Overview",
  order: 20,
  there: ({ run }) => run.overview !== undefined,
  ignores: () => "The overview is of the whole run: filters do not change it.",
  open: (context, parent) => {
    const data = context.run.overview;
    if (data) parent.append(...cards(context, data));
    return { show: () => undefined };
  },
};

function cards(context: Context, data: OverviewData): HTMLElement[] {
  const late = lateFigure(data.late, (rank) => {
    go(context, "balance", { ranks: String(rank) });
  });
  return [
    trustCard(data),
    verdictCard(context, data),
    ...(data.places ? [placesFigure(data).card] : []),
    timeFigure(data.time).card,
    efficiencyFigure(data.efficiency).card,
    late.card,
    element("div", [findingsFigure(data).card, nextCard(data)], "column wider"),
    element(
      "div",
      [
        shortFigure(context, "top-communicators", "communicators", data.communicators).card,
        shortFigure(context, "top-calls", "calls", data.calls).card,
      ],
      "column",
    ),
  ];
}

/** A link to another page, filtered to this item. */
function go(context: Context, page: string, filter: Partial<Filter>): void {
  context.change({ page, filter: { ...EVERYTHING, ...filter } });
}

function trustCard({ trust }: OverviewData): HTMLElement {
  const mark = element("strong", trust.line, trust.complete ? "mark" : "mark partial");
  const fields = trust.fields.map((text) => element("span", text));
  const card = element("section", [mark, ...fields], "card trust");
  card.id = "trust";
  card.setAttribute("aria-label", "reliability of the data");
  return card;
}

function verdictCard(context: Context, data: OverviewData): HTMLElement {
  const card = element("section", element("h2", data.verdict), "card verdict");
  card.id = "verdict";
  if (data.heaviest) card.append(culprit(context, data.heaviest));
  return card;
}

function culprit(context: Context, found: HeaviestCalls): HTMLElement {
  const { family, procedure, size } = found;
  const only = { communicator: family, procedure };
  const link = (text: string, page: string, filter: Partial<Filter>) => {
    const made = button(
      text,
      () => {
        go(context, page, filter);
      },
      `${text}: show`,
    );
    made.className = "link";
    return made;
  };
  const where = found.site
    ? [" at ", link(found.site, "sites", only), found.function ? ` (${found.function})` : ""]
    : [];
  return element(
    "p",
    [
      "Most time: ",
      link(found.operation, "calls", { ...only, ...(size ? { sizeFrom: size, sizeTo: size } : {}) }),
      ...where,
      " on ",
      link(found.communicator, "communicators", { communicator: family }),
      `: ${found.share}.`,
    ],
    "culprit",
  );
}

function placesFigure({ places }: OverviewData): Figure {
  const made = figure(
    "places",
    () => {
      if (places) saveCsv("places", tableLines(places));
    },
    null,
  );
  made.title.textContent = "Where the ranks ended";
  if (places) made.body.append(givenTable(places, { label: "where the ranks ended" }));
  made.caption.textContent = "Outliers are listed first.";
  return made;
}

function shortFigure(
  context: Context,
  id: string,
  page: string,
  { table, filter, values }: ShortTable,
): Figure {
  const made = figure(
    id,
    table.rows.length
      ? () => {
          saveCsv(id, tableLines(table));
        }
      : null,
    null,
  );
  const percent = table.columns.findIndex(({ name }) => name === "% of MPI");
  const first = table.rows.at(0);
  made.title.textContent = first
    ? `${first[0][0]} takes ${first[percent][0]} % of the time in MPI`
    : page === "communicators"
      ? "No communicator was used"
      : "No MPI call was recorded";
  const pick = (row: TableCell[]) => {
    go(context, page, { [filter]: values[table.rows.indexOf(row)] });
  };
  made.body.append(givenTable(table, { label: page, pick }));
  return made;
}
