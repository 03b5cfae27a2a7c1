/** The ranks and the nodes as tables: the location of each rank, its time and its bytes. */
import type { Context } from "../shell/context.ts";
import { nodeColumns, numberColumn, PagedTable, textColumn } from "../shell/paged_table.ts";
import type { Cell } from "../ui/files.ts";
import type { Sorted, TableColumn } from "../ui/table.ts";
import { byteText, countOf, percentText, ratioText, secondText } from "../units.ts";
import { ofRun } from "./facts.ts";
import { balanceOf, hostOf, spread } from "./model.ts";

const NOTHING = "None of the selected ranks was recorded: select others.";
const MOST_IN_MPI: Sorted = { by: "in MPI", descending: true };
const [MOST_RANKS, MOST_NODES] = [16, 8];

interface NodeRow {
  host: string;
  ranks: number;
  run: number;
  computing: number;
  mpi: number;
}

/** Rows are indices into the data. */
export class RankTable extends PagedTable<number> {
  constructor(context: Context) {
    super(context, {
      id: "balance-ranks",
      label: "ranks",
      order: "ranks-order",
      sorted: MOST_IN_MPI,
      filter: "ranks",
      most: MOST_RANKS,
    });
  }

  show(): void {
    const rows = this.rows();
    this.draw({
      title: this.title(rows),
      caption: "Covers the whole run, regardless of selected calls.",
      use: "Click a heading to sort, or a row to filter by that rank.",
      empty: NOTHING,
      columns: this.columns(),
      rows,
      sums: rows.length > 1 ? this.sums(rows) : [],
    });
  }

  protected chosenBy(row: number): string {
    return String(balanceOf(this.context.run).ranks.rank[row]);
  }

  private rows(): number[] {
    const { run, selection } = this.context;
    const { ranks } = balanceOf(run);
    return Array.from(ranks.rank.keys()).filter((row) => selection.ranks[ranks.rank[row]]);
  }

  private title(rows: readonly number[]): string {
    const { ranks } = balanceOf(this.context.run);
    if (!rows.length) return "No rank is selected";
    const mpi = spread(Float64Array.from(rows, (row) => ranks.mpi[row]));
    const many = countOf(rows.length, "rank");
    if (!rows.some((row) => ranks.calls[row] || ranks.mpi[row]))
      return `${many}, without an MPI call between MPI_Init and MPI_Finalize`;
    if (rows.length === 1) return `One rank: ${secondText(mpi.most)} in MPI`;
    return `${many}: ${secondText(mpi.mean)} in MPI each, at most ${secondText(mpi.most)}`;
  }

  private columns(): TableColumn<number>[] {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const top = (row: number) =>
      run.axes.procedures.name.at(ranks.top[row] < 0 ? Infinity : ranks.top[row]) ?? "-";
    const state = (row: number) => ranks.states[ranks.state[row]];
    return [
      numberColumn("rank", "in MPI_COMM_WORLD", (row) => ranks.rank[row]),
      textColumn("host", "node on which it ran", (row) => hostOf(run, ranks.rank[row])),
      ...(ranks.finalized ? [] : [textColumn("state", "how it ended, and inside which call", state)]),
      numberColumn("run", "between MPI_Init and MPI_Finalize", (row) => ranks.run[row], secondText),
      numberColumn("in MPI", "during the run", (row) => ranks.mpi[row], secondText),
      numberColumn(
        "% of run",
        "of the rank's run, times its threads that call MPI",
        (row) => ofRun(run, row),
        percentText,
      ),
      numberColumn(
        "sent",
        "bytes sent; for collectives, contributed; to files, written",
        (row) => ranks.sent[row],
        byteText,
      ),
      numberColumn("received", "point-to-point; from files, read", (row) => ranks.received[row], byteText),
      textColumn("top call", "procedure with the most time", top),
    ];
  }

  /** The means, and the ratio of the maximum to the mean. */
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

  protected lines(): Cell[][] {
    const { run } = this.context;
    const { ranks } = balanceOf(run);
    const head = ["rank", "host", "state", "run_seconds", "mpi_seconds", "threads"];
    return [
      [...head, "bytes_sent", "bytes_received", "calls"],
      ...this.rows().map((row) => [
        ranks.rank[row],
        hostOf(run, ranks.rank[row]),
        ranks.states[ranks.state[row]],
        ...[ranks.run, ranks.mpi, ranks.threads, ranks.sent, ranks.received, ranks.calls].map(
          (of) => of[row],
        ),
      ]),
    ];
  }
}

/** The nodes, if there are several. */
export class NodeTable extends PagedTable<NodeRow> {
  constructor(context: Context) {
    super(context, {
      id: "balance-nodes",
      label: "nodes",
      order: "nodes-order",
      filter: "node",
      most: MOST_NODES,
    });
  }

  show(): void {
    this.card.hidden = this.context.run.axes.hosts.length < 2;
    if (this.card.hidden) return;
    const rows = this.rows();
    const most = rows.reduce((best, row) => (row.computing > best.computing ? row : best), rows[0]);
    const mean =
      rows.reduce((sum, row) => sum + row.computing * row.ranks, 0) /
      rows.reduce((sum, row) => sum + row.ranks, 0);
    this.draw({
      title:
        rows.length > 1 && mean
          ? `The ranks of ${most.host} compute longest: ${secondText(most.computing)} each, ${ratioText(most.computing / mean)} times the mean of all`
          : "Nodes",
      caption: "Means over the ranks of each node, for the whole run.",
      use: "Click a row to filter by that node.",
      empty: NOTHING,
      columns: [
        ...nodeColumns<NodeRow>(),
        numberColumn("run", "between MPI_Init and MPI_Finalize", ({ run }) => run, secondText),
        {
          ...numberColumn<NodeRow>(
            "computing",
            "time outside of MPI",
            ({ computing }) => computing,
            secondText,
          ),
          bar: ({ computing }) => computing / (most.computing || 1),
        },
        numberColumn("in MPI", "during the run", ({ mpi }) => mpi, secondText),
      ],
      rows,
    });
  }

  protected chosenBy({ host }: NodeRow): string {
    return host;
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

  protected lines(): Cell[][] {
    return [
      ["node", "ranks", "mean_run_seconds", "mean_computing_seconds", "mean_mpi_seconds"],
      ...this.rows().map((row) => [row.host, row.ranks, row.run, row.computing, row.mpi]),
    ];
  }
}
