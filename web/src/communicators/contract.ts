/** What the page Communicators holds: filled by python/rankwise/report/contents/communicators.py. */

export interface CommunicatorsData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
