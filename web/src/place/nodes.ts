/** The nodes drawn, one for each kind of equivalent nodes, or one on request; for each its ranks as a list, too. */
import { choice, list, redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { type Cell, saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import { dataTable } from "../ui/table.ts";
import { countOf, percentText, secondText } from "../units.ts";
import { coreWidth, drawing } from "./drawing.ts";
import { AMOUNTS, type PlaceView, rankText } from "./view.ts";

const DRAWN = "drawn";
/** Number of kinds of nodes that are drawn at first, and of node names that are listed. */
const MOST_KINDS = 4;
const MOST_NAMES = 8;
const MOST_OPTIONS = 4096;
/** Pixels: from there on, kinds are drawn side by side, with a gap. */
const WIDE = 1400;
const COLUMN_GAP = 24;

export class Nodes {
  private readonly figure = figure(
    "nodes",
    () => {
      this.save();
    },
    () => {
      saveSvg("nodes", this.drawings);
    },
  );
  readonly card = this.figure.card;
  private view: PlaceView | null = null;
  private drawings: { title: string; svg: SVGElement }[] = [];
  private more = MOST_KINDS;
  private readonly unfolded = new Set<number>();

  show(view: PlaceView): void {
    this.view = view;
    this.drawings = [];
    const { body } = this.figure;
    const alike = kindsOf(view);
    const chosen = view.hosts.indexOf(view.context.state.filter.node || this.drawn(view));
    const nodes = chosen < 0 ? [...alike.values()].map(([first]) => first) : [chosen];
    this.figure.title.textContent = title(view);
    const spoken = document.activeElement?.closest("svg") ? document.activeElement : null;
    const label = spoken && body.contains(spoken) ? spoken.getAttribute("aria-label") : null;
    const parts: Node[] = [this.controls(view), ...(view.data.unseen ? [] : [this.legend(view)])];
    const shown = nodes.slice(0, this.more);
    const columns = shown.length > 1 && body.clientWidth > WIDE ? 2 : 1;
    const room = Math.max(200, (body.clientWidth || 300) / columns - (columns > 1 ? COLUMN_GAP : 0));
    const wide = coreWidth(view, shown);
    const drawn = shown.map((node) => {
      const others = alike.get(view.data.nodes.kind[node]) ?? [];
      return this.node(view, node, others, { room, core: wide });
    });
    parts.push(element("div", drawn, columns > 1 ? "kinds two" : "kinds"));
    if (nodes.length > this.more) {
      const rest = nodes.length - this.more;
      const made = button(`draw ${Math.min(rest, MOST_KINDS)} more of ${rest} other kinds`, () => {
        this.more += MOST_KINDS;
        this.show(view);
      });
      made.className = "plain more";
      parts.push(made);
    }
    redraw(body, parts);
    for (const tool of this.card.querySelectorAll<HTMLElement>("#nodes-image"))
      tool.hidden = !this.drawings.length;
    if (label)
      for (const one of body.querySelectorAll<SVGElement>("g.core"))
        if (one.getAttribute("aria-label") === label) one.focus({ preventScroll: true });
    this.figure.caption.textContent = view.data.unseen
      ? ""
      : "Boxes are packages, NUMA domains and L3 caches; inside them are cores with their bound ranks, coloured by" +
        " the selected amount. Dashed, after a ~: unbound ranks, where they were seen. The strokes at the" +
        " bottom of a core are its hardware threads, dark where a bound rank may use them. Red: a fault.";
  }

  private drawn(view: PlaceView): string {
    return view.context.state.options.get(DRAWN) ?? "";
  }

  private controls(view: PlaceView): HTMLElement {
    const { context, data } = view;
    const amounts = AMOUNTS.map((value) => ({
      value,
      text: value,
      missing: value === "waiting" && !data.waiting ? "It is unknown which ranks waited." : "",
    }));
    const parts: Node[] = [
      choice("colour", amounts, view.amount, (value) => {
        context.choose("colour", value);
      }),
    ];
    if (view.hosts.length > 1) {
      const options = [
        { value: "", text: "one of each kind" },
        ...view.hosts.slice(0, MOST_OPTIONS).map((host) => ({ value: host, text: host })),
      ];
      parts.push(
        list("draw", options, this.drawn(view), (value) => {
          context.choose(DRAWN, value || null);
        }),
      );
    }
    return element("div", parts, "under");
  }

  private legend(view: PlaceView): HTMLElement {
    const strip = element("span", [], "strip");
    strip.style.background = `linear-gradient(90deg, ${view.theme.ramp.filter((_, at) => at % 9 === 0).join(", ")})`;
    const of = {
      "in MPI": "of its run in the selected calls",
      waiting: "of its run waiting for others",
      moves: "moves seen, at least",
    }[view.amount];
    return element("div", [view.amountText(0), strip, `${view.amountText(view.most)} ${of}`], "legend");
  }

  private node(
    view: PlaceView,
    node: number,
    alike: readonly number[],
    sizes: { room: number; core: number },
  ): HTMLElement {
    const { context } = view;
    const host = view.hosts[node];
    const shape = view.shape(node);
    const name = button(host, () => {
      context.toggle("node", host);
    });
    name.className = "host";
    name.dataset.key = `node ${host}`;
    name.title = "restrict the report to this node";
    const inside = shape ? `: ${shape.text}` : ": its inside is unknown";
    const parts: Node[] = [
      element("h3", [name, element("span", inside, "sub")]),
      ...this.others(view, node, alike),
      ...faultLines(view, node),
    ];
    if (shape) {
      const svg = drawing(view, node, shape, sizes.room, sizes.core);
      this.drawings.push({ title: host, svg });
      parts.push(svg);
    }
    parts.push(this.list(view, node, !shape));
    return element("div", parts, "node");
  }

  /** Equivalent nodes: a few by name, to draw them instead. */
  private others(view: PlaceView, node: number, alike: readonly number[]): HTMLElement[] {
    const others = alike.filter((one) => one !== node);
    if (!others.length) return [];
    const rest = others.length - MOST_NAMES;
    const names = others.slice(0, MOST_NAMES).map((one) => {
      const made = button(view.hosts[one], () => {
        view.context.change({
          filter: { ...view.context.state.filter, node: "" },
          options: new Map([...view.context.state.options, [DRAWN, view.hosts[one]]]),
        });
      });
      made.className = "plain";
      made.dataset.key = `draw ${view.hosts[one]}`;
      made.title = "draw this one";
      return made;
    });
    const more = rest > 0 ? [element("span", `and ${rest.toLocaleString("en")} more`)] : [];
    return [element("div", [element("span", `like ${view.hosts[node]}:`), ...names, ...more], "alike sub")];
  }

  /** The same as a list: for users who can't see the picture, and for all numbers. */
  private list(view: PlaceView, node: number, open: boolean): HTMLElement {
    const ranks = view.ranks[node];
    const summary = element("summary", `${countOf(ranks.length, "rank")} of ${view.hosts[node]} as a list`);
    summary.dataset.key = `list ${view.hosts[node]}`;
    const folded = element("details", summary);
    const fill = () => {
      if (folded.open && folded.childElementCount === 1) folded.append(rankTable(view, ranks));
    };
    folded.open = open || this.unfolded.has(node);
    folded.addEventListener("toggle", () => {
      if (folded.open) this.unfolded.add(node);
      else this.unfolded.delete(node);
      fill();
    });
    fill();
    return folded;
  }

  private save(): void {
    const { view } = this;
    if (!view) return;
    const { data, hosts } = view;
    const head = [
      "rank",
      "node",
      "may_use",
      "seen_on",
      "bound",
      "looks",
      "moves",
      "threads",
      "omp_num_threads",
    ];
    const rows: Cell[][] = [[...head, "run_seconds", "mpi_seconds", "waited_seconds", "faults"]];
    hosts.forEach((host, node) => {
      for (const rank of view.ranks[node]) {
        const { cpus, seen, bound, looks, moves, threads, omp, run, waited } = data.ranks;
        rows.push([
          ...[rank, host, data.lists[cpus[rank]], data.lists[seen[rank]], bound[rank], looks[rank]],
          ...[moves[rank], threads[rank], omp[rank] || "", run[rank], view.seconds[rank]],
          ...[data.waiting ? waited[rank] : NaN, view.faultsOf([rank]).join(", ")],
        ]);
      }
    });
    saveCsv("ranks-on-nodes", rows);
  }
}

function kindsOf(view: PlaceView): Map<number, number[]> {
  const found = new Map<number, number[]>();
  view.hosts.forEach((_, node) => {
    const kind = view.data.nodes.kind[node];
    const into = found.get(kind);
    if (into) into.push(node);
    else found.set(kind, [node]);
  });
  return found;
}

function title(view: PlaceView): string {
  const { bound, moves } = view.data.ranks;
  const read = view.ranks.flat();
  const how = read.filter((rank) => bound[rank]).length;
  const all = countOf(read.length, "rank");
  if (view.data.unseen) return `${all} on ${countOf(view.hosts.length, "node")}`;
  if (!how && view.ranks.every((ranks) => ranks.length < 2))
    return `${read.length === 1 ? "The only rank" : "The only rank of each node"} may use all of its node`;
  const moved = read.filter((rank) => moves[rank]).length;
  const told = moved ? `; ${moved} ${moved === 1 ? "was" : "were"} seen to move` : "";
  if (how === read.length) return `All ${all} are bound to a part of their node${told}`;
  if (!how)
    return `${read.length === 1 ? "The rank is" : `None of ${all} is`} bound to a part of its node${told}`;
  return `${how} of ${all} are bound to a part of their node${told}`;
}

/** Faults on a node: words, and the ranks concerned. */
function faultLines(view: PlaceView, node: number): HTMLElement[] {
  const ranks = view.ranks[node];
  const lines = view.faultsOf(ranks).map((kind) => {
    const whose = ranks.filter((rank) => view.faultsOf([rank]).includes(kind));
    const text = rankText(whose);
    const named =
      text.length < 40 ? `rank${whose.length > 1 ? "s" : ""} ${text}` : countOf(whose.length, "rank");
    return element("span", [element("span", kind, "badge"), ` ${named}`]);
  });
  return lines.length ? [element("div", lines, "alike sub")] : [];
}

function rankTable(view: PlaceView, ranks: readonly number[]): HTMLElement {
  const { data } = view;
  const { cpus, seen, bound, moves, waited } = data.ranks;
  return dataTable<number>(
    [
      { name: "rank", meaning: "in MPI_COMM_WORLD", text: String, value: (rank) => rank },
      {
        name: "may use",
        meaning: "processors",
        text: (rank) => view.listText(cpus[rank]) + (bound[rank] ? "" : " (not bound)"),
        value: (rank) => data.lists[cpus[rank]],
      },
      {
        name: "seen on",
        meaning: "processors",
        text: (rank) => view.listText(seen[rank]),
        value: (rank) => data.lists[seen[rank]],
      },
      {
        name: "moves",
        meaning: "how often it was on another processor than at the previous check",
        right: true,
        text: (rank) => view.moveText(rank),
        value: (rank) => moves[rank],
      },
      {
        name: "threads",
        meaning: "that need a core",
        right: true,
        text: (rank) => view.threadText(rank),
        value: (rank) => data.ranks.threads[rank],
      },
      {
        name: "in MPI",
        meaning: "of its run",
        right: true,
        text: (rank) => percentText(view.shareOfRun(rank, view.seconds[rank])),
        value: (rank) => view.shareOfRun(rank, view.seconds[rank]),
        bar: (rank) => view.shareOfRun(rank, view.seconds[rank]),
      },
      ...(data.waiting
        ? [
            {
              name: "waited",
              meaning: "for others, in the whole run",
              right: true,
              text: (rank: number) => secondText(waited[rank]),
              value: (rank: number) => waited[rank],
            },
          ]
        : []),
      {
        name: "wrong",
        meaning: "with its placement",
        text: (rank) => view.faultsOf([rank]).join(", ") || "·",
        value: (rank) => view.faultsOf([rank]).join(", "),
      },
    ],
    ranks,
    {
      label: "ranks and their places",
      empty: "No rank was on it.",
      most: 64,
      pick: (rank) => {
        view.context.toggle("ranks", String(rank));
      },
      isPicked: (rank) => view.context.state.filter.ranks !== "" && view.isChosen(rank),
    },
  );
}
