/** The current view; it is in the address, by names, so that it can be kept, sent, and used with another report. */

/** The chosen part of a run; '' = all. */
export interface Filter {
  /** Of a communicator, or of a family of them. */
  communicator: string;
  procedure: string;
  /** The smallest and the largest size, with their names on the axis. */
  sizeFrom: string;
  sizeTo: string;
  /** As `0-3,8`. */
  ranks: string;
  region: string;
  node: string;
  /** A place that calls MPI. */
  site: string;
}

export interface State {
  /** Page of the report; number of the run. */
  page: string;
  run: string;
  filter: Filter;
  /** Further choices of pages, each with its name. */
  options: ReadonlyMap<string, string>;
}

export const EVERYTHING: Filter = {
  communicator: "",
  procedure: "",
  sizeFrom: "",
  sizeTo: "",
  ranks: "",
  region: "",
  node: "",
  site: "",
};
export const FILTERS = Object.keys(EVERYTHING) as (keyof Filter)[];

export function toAddress({ page, run, filter, options }: State): string {
  const found = new URLSearchParams();
  if (page) found.set("page", page);
  if (run) found.set("run", run);
  for (const key of FILTERS) if (filter[key]) found.set(key, filter[key]);
  for (const [key, value] of options) found.set(key, value);
  return found.toString();
}

export function fromAddress(text: string): State {
  const given = new URLSearchParams(text.replace(/^#/, ""));
  const taken = (key: string) => {
    const value = given.get(key) ?? "";
    given.delete(key);
    return value;
  };
  const [page, run] = [taken("page"), taken("run")];
  const filter = { ...EVERYTHING };
  for (const key of FILTERS) filter[key] = taken(key);
  return { page, run, filter, options: new Map(given) };
}
