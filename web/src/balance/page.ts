/** How the ranks share the time: computing, waiting, transfer. */
import type { Page } from "../shell/pages.ts";

export const balancePage: Page = {
  name: "balance",
  title: "Balance",
  there: ({ run }) => run.balance !== undefined,
  open: () => ({ show: () => undefined }),
};
