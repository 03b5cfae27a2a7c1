/** The pages of a report, in their order: the exports of the files `page.ts` in the sibling folders. */
import type { Page } from "./page_interface.ts";

export const PAGES: readonly Page[] = Object.values(
  import.meta.glob<Page>("../*/page.ts", { eager: true, import: "page" }),
).sort((one, other) => one.order - other.order);
