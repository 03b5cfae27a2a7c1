/** What the page Time line holds: filled by python/rankwise/report/contents/time_line.py. */

export interface TimeLineData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
