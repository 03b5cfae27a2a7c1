/** The data of the figures, as CSV. */
import { type Cell, saveCsv } from "../ui/files.ts";
import type { Context } from "../shell/context.ts";
import { CommunicatorAmounts } from "./amounts.ts";
import type { CommunicatorsData } from "./contract.ts";
import { blockName, type Lanes, share } from "./lanes.ts";
import { type Branch, groupsOf, linesOf } from "./model.ts";
import { isShown } from "./tree.ts";

export function saveTree(context: Context, data: CommunicatorsData, roots: readonly Branch[]): void {
  const { axes } = context.run;
  const { name, family, parent } = axes.communicators;
  const amounts = new CommunicatorAmounts(context.without("communicator"));
  const time = (seconds: number) => (seconds < 0 ? NaN : seconds);
  const rows = linesOf(roots, () => true)
    .map(({ branch }) => branch)
    .filter((branch) => branch.name && branch.ones.length === 1 && isShown(branch, amounts))
    .map((branch): Cell[] => {
      const [one] = branch.ones;
      const of = amounts.of(branch);
      const { groups, more } = groupsOf(branch, data);
      return [
        name[one],
        data.userNames[one].join("; "),
        family[one],
        parent[one] < 0 ? "" : name[parent[one]],
        data.remoteParent[one],
        data.type[one],
        data.count[one],
        data.least[one],
        data.most[one],
        data.remote[one],
        data.maker[one],
        data.madeIn[one].join("; "),
        data.madeAt[one].join("; "),
        time(data.created[one]),
        time(data.freed[one]),
        data.topology[one],
        data.reorder[one],
        of.calls,
        of.unfinished,
        of.sent,
        of.received,
        of.seconds,
        amounts.top(branch),
        groups.join(" | ") + (more ? ` +${more} more` : ""),
      ];
    });
  saveCsv("communicators", [
    [
      "communicator",
      "program_name",
      "family",
      "parent",
      "remote_parent",
      "type",
      "communicators",
      "size_min",
      "size_max",
      "remote_size",
      "made_by",
      "created_in",
      "made_at",
      "created_seconds",
      "freed_seconds",
      "topology",
      "reorder",
      "calls",
      "never_returned",
      "bytes_sent",
      "bytes_received",
      "seconds",
      "top_operation",
      "members",
    ],
    ...rows,
  ]);
}

export function saveLanes({ run }: Context, found: Lanes): void {
  const width = found.blocks.length;
  const rows: Cell[][] = [];
  found.rows.forEach((branch, row) => {
    for (let column = 0; column < width; column++) {
      const place = row * width + column;
      if (found.members[place] || found.seconds[place])
        rows.push([
          branch.name,
          blockName(found, column, run),
          found.members[place],
          found.seconds[place],
          share(found.seconds[place], found.all[column]),
        ]);
    }
  });
  saveCsv("ranks-by-communicators", [
    ["communicator", "rank", "member_of", "seconds", "share_of_time_in_mpi"],
    ...rows,
  ]);
}
