/** What the ranks did when. */
import type { Page } from "../shell/pages.ts";

export const timeLinePage: Page = {
  name: "time-line",
  title: "Time line",
  there: ({ run }) => run.timeLine !== undefined,
  open: () => ({ show: () => undefined }),
};
