/** The ranks and the nodes as tables: where each ran, its time and its bytes. */
import type { Context } from "../shell/context.ts";
import { order } from "../shell/order.ts";
import { redraw } from "../ui/controls.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { dataTable, type Sorted, type TableColumn } from "../ui/table.ts";
import { byteText, countOf, percentText, ratioText, secondText } from "../units.ts";
import { ofRun } from "./facts.ts";
import { balanceOf, hostOf, spread } from "./model.ts";

const MOST_IN_MPI: Sorted = { by: "in MPI", descending: true };
const [MOST_RANKS, MOST_NODES] = [16, 8];

interface NodeRow {
  host: string;
  ranks: number;
  run: number;
  computing: number;
  mpi: number;
}

export class RankTable {
  private readonly own = figure(
    "balance-ranks",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.own.card;

  constructor(private readonly context: Context) {}

  show(): void {
    const { context } = this;
    const { run, selection } = context;
    const { ranks } = balanceOf(run);
    const rows = Array.from(ranks.rank.keys()).filter((row) => selection.ranks[ranks.rank[row]]);
    const { sorted, sort } = order(context, "ranks-order");
    const mpi = spread(Float64Array.from(rows, (row) => ranks.mpi[row]));
    const many = countOf(rows.length, "rank");
    this.own.title.textContent = !rows.length
      ? "No rank is chosen"
      : !rows.some((row) => ranks.calls[row] || ranks.mpi[row])
        ? `${many}, without an MPI call between MPI_Init and MPI_Finalize`
        : rows.length === 1
          ? `One rank: ${secondText(mpi.most)} in MPI`
          : `${many}: ${secondText(mpi.mean)} in MPI each, at most ${secondText(mpi.most)}`;
    this.own.caption.textContent = "Of the whole run, whatever calls are chosen.";
    this.own.use.textContent = "A click on a heading sorts, a click on a row filters by that rank.";
    redraw(this.own.body, [
      dataTable(this.columns(), rows, {
        label: "ranks",
        empty: "None of the ranks that are chosen was recorded: choose others.",
        sorted: sorted.by ? sorted : MOST_IN_MPI,
        sort,
        pick: (row) => {
          context.toggle("ranks", String(ranks.rank[row]));
        },
        isPicked: (row) => context.state.filter.ranks === String(ranks.rank[row]),
        sums: rows.length > 1 ? this.sums(rows) : [],
        most: MOST_RANKS,
      }),
    ]);
  }

  private columns(): TableColumn<number>[] {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const number = (
      name: string,
      meaning: string,
      value: (row: number) => number,
      text: (value: number) => string,
    ): TableColumn<number> => ({ name, meaning, right: true, value, text: (row) => text(value(row)) });
    const top = (row: number) =>
      run.axes.procedures.name.at(ranks.top[row] < 0 ? Infinity : ranks.top[row]) ?? "-";
    const state = (row: number) => ranks.states[ranks.state[row]];
    return [
      number("rank", "in MPI_COMM_WORLD", (row) => ranks.rank[row], String),
      {
        name: "host",
        meaning: "node that it ran on",
        text: (row) => hostOf(run, ranks.rank[row]),
        value: (row) => hostOf(run, ranks.rank[row]),
      },
      ...(ranks.finalized
        ? []
        : [{ name: "state", meaning: "how it ended, and inside of what", text: state, value: state }]),
      number("run", "between MPI_Init and MPI_Finalize", (row) => ranks.run[row], secondText),
      number("in MPI", "during the run", (row) => ranks.mpi[row], secondText),
      {
        ...number(
          "% of run",
          "of the rank's run, times its threads that call MPI",
          (row) => ofRun(run, row),
          percentText,
        ),
      },
      number(
        "sent",
        "bytes sent; for collectives, contributed; to files, written",
        (row) => ranks.sent[row],
        byteText,
      ),
      number("received", "point-to-point; from files, read", (row) => ranks.received[row], byteText),
      { name: "top call", meaning: "procedure with the most time", text: top, value: top },
    ];
  }

  /** The means, and how many times that the rank with the most has. */
  private sums(rows: number[]): string[][] {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const whole = rows.reduce((sum, row) => sum + ranks.run[row] * ranks.threads[row], 0);
    const inMpi = rows.reduce((sum, row) => sum + ranks.mpi[row], 0);
    const spreads = {
      run: [ranks.run, secondText],
      "in MPI": [ranks.mpi, secondText],
      sent: [ranks.sent, byteText],
      received: [ranks.received, byteText],
    } as const;
    const told = (mean: boolean, name: string): string => {
      if (name === "rank") return mean ? "mean" : "max/mean";
      if (name === "% of run") return mean && whole ? percentText(inMpi / whole) : "";
      const of = spreads[name as keyof typeof spreads] as (typeof spreads)[keyof typeof spreads] | undefined;
      if (!of) return "";
      const found = spread(Float64Array.from(rows, (row) => of[0][row]));
      if (mean) return of[1](found.mean);
      return found.mean ? ratioText(found.most / found.mean) : "";
    };
    return [true, false].map((mean) => this.columns().map(({ name }) => told(mean, name)));
  }

  private save(): void {
    const { run, selection } = this.context;
    const { ranks } = balanceOf(run);
    const rows = Array.from(ranks.rank.keys()).filter((row) => selection.ranks[ranks.rank[row]]);
    saveCsv("ranks", [
      [
        "rank",
        "host",
        "state",
        "run_seconds",
        "mpi_seconds",
        "threads",
        "bytes_sent",
        "bytes_received",
        "calls",
      ],
      ...rows.map((row) => [
        ranks.rank[row],
        hostOf(run, ranks.rank[row]),
        ranks.states[ranks.state[row]],
        ...[ranks.run, ranks.mpi, ranks.threads, ranks.sent, ranks.received, ranks.calls].map(
          (of) => of[row],
        ),
      ]),
    ]);
  }
}

/** The nodes, where there are several. */
export class NodeTable {
  private readonly own = figure(
    "balance-nodes",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.own.card;

  constructor(private readonly context: Context) {}

  show(): void {
    const { context } = this;
    const rows = this.rows();
    this.card.hidden = context.run.axes.hosts.length < 2;
    if (this.card.hidden) return;
    const most = rows.reduce((best, row) => (row.computing > best.computing ? row : best), rows[0]);
    const mean =
      rows.reduce((sum, row) => sum + row.computing * row.ranks, 0) /
      rows.reduce((sum, row) => sum + row.ranks, 0);
    this.own.title.textContent =
      rows.length > 1 && mean
        ? `The ranks of ${most.host} compute longest: ${secondText(most.computing)} each, ${ratioText(most.computing / mean)} times the mean of all`
        : "Nodes";
    this.own.caption.textContent = "Means over the ranks of each node, of the whole run.";
    this.own.use.textContent = "A click on a row filters by that node.";
    const seconds = (
      name: "run" | "computing" | "mpi",
      head: string,
      meaning: string,
    ): TableColumn<NodeRow> => ({
      name: head,
      meaning,
      right: true,
      text: (row) => secondText(row[name]),
      value: (row) => row[name],
    });
    redraw(this.own.body, [
      dataTable<NodeRow>(
        [
          { name: "node", meaning: "host name", text: ({ host }) => host, value: ({ host }) => host },
          {
            name: "ranks",
            meaning: "that ran on it",
            right: true,
            text: ({ ranks }) => String(ranks),
            value: ({ ranks }) => ranks,
          },
          seconds("run", "run", "between MPI_Init and MPI_Finalize"),
          {
            ...seconds("computing", "computing", "time outside of MPI"),
            bar: ({ computing }) => computing / (most.computing || 1),
          },
          seconds("mpi", "in MPI", "during the run"),
        ],
        rows,
        {
          label: "nodes",
          empty: "None of the ranks that are chosen was recorded: choose others.",
          ...order(context, "nodes-order"),
          pick: ({ host }) => {
            context.toggle("node", host);
          },
          isPicked: ({ host }) => context.state.filter.node === host,
          most: MOST_NODES,
        },
      ),
    ]);
  }

  private rows(): NodeRow[] {
    const { run, selection } = this.context;
    const { ranks } = balanceOf(run);
    const found = new Map<string, NodeRow>();
    ranks.rank.forEach((rank: number, row: number) => {
      if (!selection.ranks[rank]) return;
      const host = hostOf(run, rank);
      const node = found.get(host) ?? { host, ranks: 0, run: 0, computing: 0, mpi: 0 };
      const inMpi = Math.min(ranks.mpi[row] / ranks.threads[row], ranks.run[row]);
      node.ranks++;
      node.run += ranks.run[row];
      node.mpi += inMpi;
      node.computing += ranks.run[row] - inMpi;
      found.set(host, node);
    });
    return [...found.values()].map(({ host, ranks: count, run: time, computing, mpi }) => ({
      host,
      ranks: count,
      run: time / count,
      computing: computing / count,
      mpi: mpi / count,
    }));
  }

  private save(): void {
    saveCsv("nodes", [
      ["node", "ranks", "mean_run_seconds", "mean_computing_seconds", "mean_mpi_seconds"],
      ...this.rows().map((row) => [row.host, row.ranks, row.run, row.computing, row.mpi]),
    ]);
  }
}
