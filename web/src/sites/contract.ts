/** What the page Call sites holds: filled by python/rankwise/report/contents/sites.py. */

export interface SitesData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
