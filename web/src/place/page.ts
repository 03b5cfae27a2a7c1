/** Where the ranks ran: nodes, sockets, cores. */
import type { Page } from "../shell/pages.ts";

export const placePage: Page = {
  name: "place",
  title: "Place",
  there: ({ run }) => run.place !== undefined,
  open: () => ({ show: () => undefined }),
};
