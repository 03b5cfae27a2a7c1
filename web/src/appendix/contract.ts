/** The data of the page Appendix: written by python/rankwise/render/page/contents/parts/appendix.py. */
import type { TableData } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    appendix?: AppendixData;
  }
}

export interface AppendixData {
  /** Replaces the page: why there is no data, and the remedy; '' = there is data. */
  missing: string;
  sections: AppendixSection[];
}

/** Tables below a title; `group`: sections with the same group are shown together. */
export interface AppendixSection {
  id: string;
  group: string;
  title: string;
  /** Sentences above the tables. */
  text: string[];
  tables: TableData[];
}
