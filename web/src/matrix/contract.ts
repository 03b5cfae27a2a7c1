/** What the page Matrix holds: filled by python/rankwise/report/contents/messages.py. */

export interface MessagesData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
