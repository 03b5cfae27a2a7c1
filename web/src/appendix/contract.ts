/** What the page Appendix holds: filled by python/rankwise/report/contents/appendix.py. */

export interface AppendixData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
