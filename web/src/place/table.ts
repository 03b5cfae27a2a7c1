/** The nodes: ranks, time in MPI, and bytes that stay or leave. */
import type { Context } from "../shell/context.ts";
import { order } from "../shell/order.ts";
import { redraw } from "../ui/controls.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { dataTable, type TableColumn } from "../ui/table.ts";
import { byteText, percentText, secondText } from "../units.ts";
import type { PlaceView } from "./view.ts";

interface Row {
  node: number;
  host: string;
  ranks: number;
  seconds: number;
  run: number;
  on: number;
  off: number;
  unplaced: number;
  faults: string;
}

const MOST = 32;

export class NodeTable {
  private readonly figure = figure(
    "node-table",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private rows: Row[] = [];

  constructor(private readonly context: Context) {}

  show(view: PlaceView): void {
    this.rows = rowsOf(view);
    const { rows, context } = this;
    const seconds = rows.reduce((sum, row) => sum + row.seconds, 0) || 1;
    this.figure.title.textContent = title(rows);
    const columns: TableColumn<Row>[] = [
      { name: "node", meaning: "host name", text: ({ host }) => host, value: ({ host }) => host },
      {
        name: "ranks",
        meaning: "that ran on it",
        right: true,
        text: ({ ranks }) => String(ranks),
        value: ({ ranks }) => ranks,
      },
      {
        name: "in MPI",
        meaning: "in the calls that are chosen, sum over its ranks",
        right: true,
        text: (row) => secondText(row.seconds),
        value: (row) => row.seconds,
        bar: (row) => row.seconds / seconds,
      },
      {
        name: "% of its run",
        meaning: "of its ranks' time between MPI_Init and MPI_Finalize, times their threads that call MPI",
        right: true,
        text: (row) => percentText(row.run ? row.seconds / row.run : 0),
        value: (row) => (row.run ? row.seconds / row.run : 0),
      },
      bytes("on node", "to ranks of the same node", ({ on }) => on),
      bytes("off node", "to ranks of other nodes", ({ off }) => off),
      ...(rows.some(({ unplaced }) => unplaced)
        ? [bytes("unknown", "to ranks whose node is not known", ({ unplaced }) => unplaced)]
        : []),
      {
        name: "% off node",
        meaning: "of the bytes of its ranks' point-to-point and one-sided messages",
        right: true,
        text: (row) => (total(row) ? percentText(row.off / total(row)) : "·"),
        value: (row) => (total(row) ? row.off / total(row) : null),
        bar: (row) => (total(row) ? row.off / total(row) : 0),
      },
      {
        name: "wrong",
        meaning: "with places on it",
        text: ({ faults }) => faults || "·",
        value: ({ faults }) => faults,
      },
    ];
    redraw(this.figure.body, [
      dataTable(columns, rows, {
        label: "nodes",
        empty: "No rank's counters could be read.",
        most: MOST,
        ...order(context, "nodes"),
        pick: ({ host }) => {
          context.toggle("node", host);
        },
        isPicked: ({ host }) => context.state.filter.node === host,
      }),
    ]);
    const { together } = context.run.cells;
    this.figure.use.textContent = "A choice restricts the report to a node.";
    this.figure.caption.textContent =
      "Bytes are those of point-to-point and one-sided messages of the whole run." +
      (together > 1
        ? ` Ranks are told apart in groups of ${together}: the time of each is taken for the mean of its group.`
        : "");
  }

  private save(): void {
    const head = ["node", "ranks", "mpi_seconds", "run_seconds", "bytes_on_node", "bytes_off_node"];
    saveCsv("nodes", [
      [...head, "bytes_unplaced", "faults"],
      ...this.rows.map((row) => [
        ...[row.host, row.ranks, row.seconds, row.run, row.on, row.off, row.unplaced, row.faults],
      ]),
    ]);
  }
}

function rowsOf(view: PlaceView): Row[] {
  const { nodes, ranks, faults } = view.data;
  const found = view.hosts.map((host, node): Row => {
    const sum = (of: (rank: number) => number) => view.ranks[node].reduce((all, rank) => all + of(rank), 0);
    const wrong = [
      ...view.faultsOf(view.ranks[node]),
      ...faults
        .filter(({ kind, hosts }) => kind === "fewer ranks" && hosts.includes(node))
        .map(({ kind }) => kind),
    ];
    return {
      node,
      host,
      ranks: view.ranks[node].length,
      seconds: sum((rank) => view.seconds[rank]),
      run: sum((rank) => ranks.run[rank]),
      on: nodes.onNode[node],
      off: nodes.offNode[node],
      unplaced: nodes.unplaced[node],
      faults: wrong.join(", "),
    };
  });
  return found.sort((one, other) => other.seconds - one.seconds);
}

function total({ on, off, unplaced }: Row): number {
  return on + off + unplaced;
}

function title(rows: readonly Row[]): string {
  const all = rows.reduce((sum, row) => sum + total(row), 0);
  const off = rows.reduce((sum, row) => sum + row.off, 0);
  if (!all) return "No point-to-point or one-sided messages were sent";
  if (rows.length === 1) return `All ${byteText(all)} of messages stay on the one node`;
  return `${percentText(off / all)} of ${byteText(all)} of messages leave their node`;
}

function bytes(name: string, where: string, of: (row: Row) => number): TableColumn<Row> {
  return {
    name,
    meaning: `bytes of point-to-point and one-sided messages from its ranks ${where}`,
    right: true,
    text: (row) => (of(row) ? byteText(of(row)) : "·"),
    value: of,
  };
}
