/** The page Network in a report. */
import type { Page } from "../shell/page_interface.ts";
import { NetworkPage } from "./whole.ts";
import { partOf } from "./part.ts";
import { OPTIONS } from "./state.ts";

export const page: Page = {
  name: "network",
  title: "Network",
  order: 100,
  options: OPTIONS,
  there: ({ run }) => run.network !== undefined,
  ignores: ({ run, selection }) => (run.network ? partOf(run.network, selection).ignored : ""),
  open: (context, parent) => {
    if (!context.run.network) throw new Error("there is no fabric");
    return new NetworkPage(context, context.run.network, parent);
  },
};
