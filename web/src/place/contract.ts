/** What the page Place holds: filled by python/rankwise/report/contents/place.py. */

export interface PlaceData {
  /** In place of the page: why there is nothing, and what cures it; '' = there is. */
  missing: string;
}
