/** What the page Call sites holds: filled by python/rankwise/render/page/contents/parts/sites.py. */
import type { Numbers } from "../ui/data.ts";

declare module "../contract.ts" {
  interface RunData {
    sites?: SitesData;
  }
}

export interface SitesData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
  /** Programs and libraries that call MPI. */
  libraries: { name: string[]; isProgram: Numbers };
  /** Of each site of the axis: index into the libraries. */
  libraryOf: Numbers;
  /** '' = not known, as in the next two. */
  function: string[];
  /** Of the source. */
  file: string[];
  /** Of the program or library. */
  path: string[];
  /** Why lines are not known, and what cures it; '' = all are. */
  hint: string;
}
