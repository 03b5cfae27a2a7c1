/** Communicators: how each was made, who is in it, and what goes over it. */
import type { Page } from "../shell/pages.ts";

export const communicatorsPage: Page = {
  name: "communicators",
  title: "Communicators",
  there: ({ run }) => run.communicators !== undefined,
  open: () => ({ show: () => undefined }),
};
