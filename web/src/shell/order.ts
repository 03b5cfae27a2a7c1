/** The order of a table, which is in the address as an option of its page. */
import type { Sorted } from "../ui/table.ts";
import type { Context } from "./context.ts";

const DOWN = " down";

export function order(context: Context, option: string): { sorted: Sorted; sort: (sorted: Sorted) => void } {
  const given = context.state.options.get(option) ?? "";
  const descending = given.endsWith(DOWN);
  return {
    sorted: { by: descending ? given.slice(0, -DOWN.length) : given, descending },
    sort: (sorted) => {
      context.choose(option, sorted.by + (sorted.descending ? DOWN : ""));
    },
  };
}
