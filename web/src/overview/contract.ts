/** What the page Overview holds: filled by python/rankwise/report/contents/overview.py. */

export interface OverviewData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
