/** The traffic between ranks. */
import type { RunData } from "../contract.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import { choice, type Option, redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { countText, byteText } from "../units.ts";
import { MatrixCard } from "./card.ts";
import type { MessagesData } from "./contract.ts";
import { type Ends, nodeEnds, rankEnds } from "./ends.ts";
import { type Mapping, mappingOf } from "./mapping.ts";
import { leaving } from "./findings.ts";
import "./matrix.css";
import { type Measure, MEASURES } from "./measures.ts";
import { followNodes, type Order } from "./orders.ts";
import { type Kind, KINDS, type View, viewOf } from "./view.ts";

const KIND_TEXTS: Record<Kind, string> = {
  all: "all messages",
  "point-to-point": "point-to-point",
  "in-collective": "inside collectives",
  "one-sided": "one-sided",
};
const MEASURE_TEXTS: Record<Measure, string> = { bytes: "bytes", messages: "messages", size: "mean size" };
const SHOWN = ["both", "rank", "node"] as const;
const SCALES = ["log", "linear"] as const;

export const page: Page = {
  name: "matrix",
  title: "Matrix",
  order: 60,
  options: ["matrix-of", "matrix-kind", "matrix-measure", "matrix-scale", "matrix-order"],
  there: ({ run }) => run.messages !== undefined,
  ignores: ({ selection }) => {
    const counted = selection.chosen.some((key) => ["sizeFrom", "sizeTo", "region", "site"].includes(key));
    const told = counted
      ? ["Messages are not counted by size, region and call site: these filters do not change this page."]
      : [];
    const together = selection.run.messages?.ranks.together ?? 1;
    if (together > 1 && selection.filter.ranks)
      told.push(
        `Because there are many pairs, ${together} neighbouring ranks form one row: a filter by rank selects all of them.`,
      );
    return told.join(" ");
  },
  open: (context, parent) => new MatrixPage(context, parent, context.run),
};

class MatrixPage implements Open {
  private readonly bar = element("div", [], "choices");
  private readonly said = element("p", [], "notice");
  private readonly file = element("input");
  private readonly cards: Record<Ends["kind"], MatrixCard> | null = null;
  private mapping: Mapping | null = null;
  private seen: { key: string; views: View[] } = { key: "", views: [] };

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
    private readonly run: RunData,
  ) {
    const data = run.messages;
    if (!data || data.missing) {
      parent.append(element("p", data?.missing ?? "", "empty"));
      return;
    }
    this.cards = {
      rank: new MatrixCard(context, data, "matrix-rank"),
      node: new MatrixCard(context, data, "matrix-node"),
    };
    this.file.type = "file";
    this.file.hidden = true;
    this.file.id = "matrix-file";
    this.file.setAttribute("aria-label", "file with the placement of the ranks");
    this.file.addEventListener("change", () => {
      void this.read(this.file.files?.[0]);
      this.file.value = "";
    });
    this.said.setAttribute("role", "status");
    const both = element("div", [this.cards.rank.figure.card, this.cards.node.figure.card], "matrices");
    parent.append(this.bar, this.file, this.said, both);
    parent.addEventListener("dragover", (event) => {
      event.preventDefault();
    });
    parent.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.read(event.dataTransfer?.files[0]);
    });
    this.show();
  }

  show(): void {
    const { cards } = this;
    const data = this.run.messages;
    if (!cards || !data) return;
    const wanted = this.wanted();
    this.controls(data, wanted);
    for (const kind of ["rank", "node"] as const)
      cards[kind].figure.card.hidden = !wanted.shown.includes(kind);
    for (const view of this.views(data, wanted))
      cards[view.ends.kind].show(view, this.notes(data, view, wanted.kind));
  }

  /** Both kinds of rows differ only if nodes have several ranks, and there are several nodes. */
  private get several(): boolean {
    const { hosts, ranks } = this.run.axes;
    return hosts.length > 1 && hosts.length < ranks;
  }

  private wanted(): { kind: Kind; measure: Measure; order: Order; shown: Ends["kind"][] } {
    const { context } = this;
    const order = context.option("matrix-order", this.orders());
    const shown = this.several ? context.option("matrix-of", SHOWN) : "rank";
    return {
      kind: context.option("matrix-kind", KINDS),
      measure: context.option("matrix-measure", MEASURES),
      order: order === "file" && !this.mapping ? "rank" : order,
      shown: shown === "both" ? ["rank", "node"] : [shown],
    };
  }

  private orders(): Order[] {
    const { run, mapping } = this;
    if (run.messages?.ranks.together !== 1) return ["rank"];
    return [
      "rank",
      ...(followNodes(run.axes) ? [] : ["node" as const]),
      ...(mapping ? ["file" as const] : []),
    ];
  }

  /** Recomputed only when something that they depend on was chosen. */
  private views(
    data: MessagesData,
    { kind, measure, order, shown }: ReturnType<MatrixPage["wanted"]>,
  ): View[] {
    const { selection } = this.context;
    const { communicator, procedure, ranks, node } = selection.filter;
    const key = JSON.stringify([
      communicator,
      procedure,
      ranks,
      node,
      kind,
      measure,
      order,
      shown,
      this.mapping?.name,
    ]);
    if (key !== this.seen.key) {
      const mapping = order === "file" ? this.mapping : null;
      const views = shown.map((of) => {
        const ends =
          of === "rank" ? rankEnds(this.run, data, order, mapping) : nodeEnds(this.run, data, mapping);
        return viewOf(data, selection, ends, kind, measure);
      });
      this.seen = { key, views };
    }
    return this.seen.views;
  }

  private controls(data: MessagesData, wanted: ReturnType<MatrixPage["wanted"]>): void {
    const { context } = this;
    const there = new Set(Array.from(data.groups.kind, (kind: number) => data.kinds[kind]));
    const pick = (name: string, first: string) => (value: string) => {
      context.choose(name, value === first ? null : value);
    };
    const kinds: Option<Kind>[] = KINDS.map((value) => ({
      value,
      text: KIND_TEXTS[value],
      missing: value === "all" || there.has(value) ? "" : "No such messages were recorded.",
    }));
    const texts: Record<Order, string> = {
      rank: "natural order",
      node: "by node",
      file: `by ${this.mapping?.name ?? ""}`,
    };
    const orders = this.orders().map((value) => ({ value, text: texts[value] }));
    const open = button("order by a file …", () => {
      this.file.click();
    });
    open.className = "plain";
    open.title = "a rankfile, a list of hosts, or placement.json of `rankwise map`; or drop it here";
    if (data.ranks.together > 1) {
      open.disabled = true;
      open.title = "Because there are many pairs, neighbouring ranks form one row: their order is fixed.";
    }
    redraw(this.bar, [
      choice("kind", kinds, wanted.kind, pick("matrix-kind", "all")),
      choice(
        "of",
        MEASURES.map((value) => ({ value, text: MEASURE_TEXTS[value] })),
        wanted.measure,
        pick("matrix-measure", "bytes"),
      ),
      choice(
        "colours",
        SCALES.map((value) => ({ value, text: value })),
        context.option("matrix-scale", SCALES),
        pick("matrix-scale", "log"),
      ),
      ...(this.several
        ? [
            choice(
              "between",
              [
                { value: "both" as const, text: "both" },
                { value: "rank" as const, text: "ranks" },
                { value: "node" as const, text: "nodes" },
              ],
              context.option("matrix-of", SHOWN),
              pick("matrix-of", "both"),
            ),
          ]
        : []),
      ...(orders.length > 1 ? [choice("order", orders, wanted.order, pick("matrix-order", "rank"))] : []),
      ...(this.run.axes.ranks > 1 ? [open] : []),
    ]);
    this.said.hidden = !this.said.textContent;
  }

  private async read(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      this.mapping = mappingOf(file.name, await file.text(), this.run.axes.ranks);
      this.said.textContent = "";
      this.context.choose("matrix-order", "file");
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.said.textContent = `${file.name} has no order of ranks: ${said}.`;
      this.said.hidden = false;
    }
  }

  /** Messages that are not in the matrix, in the words of `rankwise show --matrix`. */
  private notes(data: MessagesData, { unplaced, filtered, ends }: View, kind: Kind): string[] {
    const notes: string[] = [];
    const { mapping } = this;
    if (mapping && this.wanted().order === "file" && ends.kind === "rank")
      notes.push(`Ranks are in the order of ${mapping.name}.`);
    if (mapping && this.wanted().order === "file" && ends.kind === "node") {
      const run = nodeEnds(this.run, data, null);
      const was = leaving(viewOf(data, this.context.selection, run, kind, "bytes"));
      notes.push(`Nodes are those of ${mapping.name}; in the run ${was} left their node.`);
    }
    const { selection } = this.context;
    if (kind === "all" || kind === "in-collective") {
      const { communicator, procedure, why, texts } = data.hidden;
      const reasons = new Map<string, number>();
      communicator.forEach((one: number, at: number) => {
        if (selection.communicators[one] && selection.procedures[procedure[at]])
          reasons.set(texts[why[at]], (reasons.get(texts[why[at]]) ?? 0) + 1);
      });
      if (reasons.size) {
        const told = [...reasons].map(([text, count]) => `${text} (${count.toLocaleString("en")} ×)`);
        notes.push(`Not all messages of collectives are visible: ${told.join("; ")}.`);
      }
    }
    if (unplaced.messages) {
      const sums = `${countText(unplaced.messages)} messages (${byteText(unplaced.bytes)})`;
      const whose = filtered && (selection.filter.ranks || selection.filter.node) ? ", of all ranks" : "";
      notes.push(`Not shown: ${sums} from or to processes without a row${whose}.`);
    }
    return notes;
  }
}
