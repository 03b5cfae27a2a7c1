/** Places of the program and of its libraries that call MPI. */
import type { Page } from "../shell/pages.ts";

export const sitesPage: Page = {
  name: "sites",
  title: "Call sites",
  there: ({ run }) => run.sites !== undefined,
  open: () => ({ show: () => undefined }),
};
