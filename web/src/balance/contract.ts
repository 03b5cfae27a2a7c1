/** What the page Balance holds: filled by python/rankwise/report/contents/balance.py. */

export interface BalanceData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
