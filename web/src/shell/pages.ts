/** The pages of a report, in their order: what the files `page.ts` beside this folder export. */
import type { Page } from "./page_interface.ts";

export const PAGES: readonly Page[] = Object.values(
  import.meta.glob<Page>("../*/page.ts", { eager: true, import: "page" }),
).sort((one, other) => one.order - other.order);
