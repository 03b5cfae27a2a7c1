/** The nodes: ranks, time in MPI, and bytes that stay or leave. */
import type { Context } from "../shell/context.ts";
import { nodeColumns, numberColumn, PagedTable, textColumn } from "../shell/paged_table.ts";
import type { Cell } from "../ui/files.ts";
import type { TableColumn } from "../ui/table.ts";
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

export class NodeTable extends PagedTable<Row> {
  private rows: Row[] = [];

  constructor(context: Context) {
    super(context, { id: "node-table", label: "nodes", order: "nodes", filter: "node", most: MOST });
  }

  show(view: PlaceView): void {
    this.rows = rowsOf(view);
    const { together } = this.context.run.cells;
    this.draw({
      title: title(this.rows),
      caption:
        "Bytes count point-to-point and one-sided messages of the whole run." +
        (together > 1
          ? ` Ranks are stored in groups of ${together}: each has the mean time of its group.`
          : ""),
      use: "Click a row to restrict the report to a node.",
      empty: "No rank's counters could be read.",
      columns: columnsOf(this.rows),
      rows: this.rows,
    });
  }

  protected chosenBy({ host }: Row): string {
    return host;
  }

  protected lines(): Cell[][] {
    const head = ["node", "ranks", "mpi_seconds", "run_seconds", "bytes_on_node", "bytes_off_node"];
    return [
      [...head, "bytes_unplaced", "faults"],
      ...this.rows.map((row) => [
        ...[row.host, row.ranks, row.seconds, row.run, row.on, row.off, row.unplaced, row.faults],
      ]),
    ];
  }
}

function columnsOf(rows: readonly Row[]): TableColumn<Row>[] {
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0) || 1;
  return [
    ...nodeColumns<Row>(),
    {
      ...numberColumn<Row>(
        "in MPI",
        "in the selected calls, summed over its ranks",
        (row) => row.seconds,
        secondText,
      ),
      bar: (row) => row.seconds / seconds,
    },
    numberColumn(
      "% of its run",
      "of its ranks' time between MPI_Init and MPI_Finalize, times their threads that call MPI",
      (row) => (row.run ? row.seconds / row.run : 0),
      percentText,
    ),
    bytes("on node", "to ranks of the same node", ({ on }) => on),
    bytes("off node", "to ranks of other nodes", ({ off }) => off),
    ...(rows.some(({ unplaced }) => unplaced)
      ? [bytes("unknown", "to ranks on unknown nodes", ({ unplaced }) => unplaced)]
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
      ...textColumn<Row>("wrong", "with places on it", ({ faults }) => faults),
      text: ({ faults }) => faults || "·",
    },
  ];
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
  if (rows.length === 1) return `All ${byteText(all)} of messages stay on the node`;
  return `${percentText(off / all)} of ${byteText(all)} of messages leave their node`;
}

function bytes(name: string, where: string, of: (row: Row) => number): TableColumn<Row> {
  const meaning = `bytes of point-to-point and one-sided messages from its ranks ${where}`;
  return numberColumn(name, meaning, of, (value) => (value ? byteText(value) : "·"));
}
