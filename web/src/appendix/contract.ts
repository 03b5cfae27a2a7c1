/** What the page Appendix holds: filled by python/rankwise/render/page/contents/parts/appendix.py. */
import type { TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    appendix?: AppendixData;
  }
}

export interface AppendixData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
  sections: AppendixSection[];
}

/** Tables below a title; `group`: sections with the same one stand together. */
export interface AppendixSection {
  id: string;
  group: string;
  title: string;
  /** Sentences above the tables. */
  text: string[];
  tables: TableData[];
}
