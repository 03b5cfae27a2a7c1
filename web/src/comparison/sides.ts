/** Comparison of any number of sides: the part of its sheet that the filters of the report choose. */
import type { Context } from "../shell/context.ts";
import type { Filter } from "../runs/filter.ts";

export const IGNORED =
  "The comparison is of whole runs: filters by communicator, call, region and call site choose its rows, others do not change it.";

/** The filter of the report by the columns of the sheet. A communicator stands for its family, which all sides have. */
export function filterOf({ state: { filter }, run }: Context): Filter {
  const { name, family } = run.axes.communicators;
  const one = name.indexOf(filter.communicator);
  const given = {
    communicator: one < 0 ? filter.communicator : family[one],
    call: filter.procedure,
    region: filter.region,
    site: filter.site,
  };
  return { text: "", values: new Map(Object.entries(given).filter(([, value]) => value)) };
}
