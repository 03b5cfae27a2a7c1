/** The common columns of tables of calls by place. */
import type { TableColumn } from "../ui/table.ts";
import { byteText, countText, percentText, ratioText, secondText } from "../units.ts";
import { type Group, imbalance } from "./groups.ts";
import type { SitesView } from "./view.ts";

interface HasGroup {
  group: Group;
}

export function volumes<Row extends HasGroup>(): TableColumn<Row>[] {
  return [
    {
      name: "calls",
      meaning: "number of calls, summed over ranks",
      right: true,
      text: ({ group }) => countText(group.calls),
      value: ({ group }) => group.calls,
    },
    {
      name: "sent",
      meaning: "bytes sent; for collectives, contributed; to files, written",
      right: true,
      text: ({ group }) => (group.sent ? byteText(group.sent) : "·"),
      value: ({ group }) => group.sent,
    },
  ];
}

export function times<Row extends HasGroup>(view: SitesView): TableColumn<Row>[] {
  const share = ({ group }: Row) => (view.seconds ? group.seconds / view.seconds : 0);
  return [
    {
      name: "time",
      meaning: "summed over ranks; +: with calls that never returned, up to the end of their ranks",
      right: true,
      text: ({ group }) => secondText(group.seconds) + (group.unfinished ? "+" : ""),
      value: ({ group }) => group.seconds,
      bar: share,
    },
    {
      name: "% of MPI",
      meaning: "of the selected time in MPI, without MPI_Init and MPI_Finalize",
      right: true,
      text: (row) => percentText(share(row)),
      value: share,
    },
  ];
}

/** How evenly it is divided among the ranks; nothing if the report does not distinguish ranks. */
export function evenness<Row extends HasGroup>(view: SitesView): TableColumn<Row>[] {
  if (view.context.run.cells.together > 1) return [];
  return [
    {
      name: "ranks",
      meaning: "that made such calls",
      right: true,
      text: ({ group }) => countText(group.ranks.size),
      value: ({ group }) => group.ranks.size,
    },
    {
      name: "max/mean",
      meaning: "maximum time of a rank / mean of all selected ranks; 1.00: all are equal",
      right: true,
      text: ({ group }) => {
        const ratio = imbalance(group, view.selection);
        return ratio === null ? "·" : ratioText(ratio);
      },
      value: ({ group }) => imbalance(group, view.selection),
    },
  ];
}
