/** What a run was like, on one screen: how far to trust it, where the time went, what to do. */
import type { Page } from "../shell/pages.ts";

export const overviewPage: Page = {
  name: "overview",
  title: "Overview",
  there: ({ run }) => run.overview !== undefined,
  open: () => ({ show: () => undefined }),
};
