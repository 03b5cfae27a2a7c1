/** Who sends how much to whom. */
import type { Page } from "../shell/pages.ts";

export const matrixPage: Page = {
  name: "matrix",
  title: "Matrix",
  there: ({ run }) => run.messages !== undefined,
  open: () => ({ show: () => undefined }),
};
