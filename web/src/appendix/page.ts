/** What was measured and how: definitions, environment, coverage. */
import type { Page } from "../shell/pages.ts";

export const appendixPage: Page = {
  name: "appendix",
  title: "Appendix",
  there: ({ run }) => run.appendix !== undefined,
  open: () => ({ show: () => undefined }),
};
