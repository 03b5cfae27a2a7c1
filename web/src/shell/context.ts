/** The context of a page: the run, the current choice, and the means to change it. */
import type { Report, RunData } from "../contract.ts";
import { type Theme, theme } from "../ui/colours.ts";
import { Selection } from "./selection.ts";
import { EVERYTHING, type Filter, FILTERS, fromAddress, type State, toAddress } from "./state.ts";

export class Context {
  state: State;
  selection: Selection;
  /** Filters in the order in which they were chosen, simultaneous ones together. */
  private readonly taken: (keyof Filter)[][] = [];

  constructor(
    readonly report: Report,
    /** Called when anything has changed. */
    private readonly changed: () => void,
  ) {
    this.state = fromAddress(window.location.hash);
    this.selection = new Selection(this.run, this.state.filter);
    window.addEventListener("hashchange", () => {
      this.enter(fromAddress(window.location.hash));
    });
  }

  get run(): RunData {
    const { runs } = this.report;
    return runs.find(({ name }) => name === this.state.run) ?? runs[0];
  }

  get theme(): Theme {
    return theme();
  }

  /** The choice without some of the filters: figures that mark the values of these need the rest, too. */
  without(...keys: (keyof Filter)[]): Selection {
    const given = keys.filter((key) => this.state.filter[key]);
    if (!given.length) return this.selection;
    return new Selection(this.run, {
      ...this.state.filter,
      ...Object.fromEntries(given.map((key) => [key, ""])),
    });
  }

  /** Choose, or with '' remove the choice. */
  filter(change: Partial<Filter>): void {
    this.change({ filter: { ...this.state.filter, ...change } });
  }

  /** Choose, or if that is already chosen, remove it. */
  toggle(key: keyof Filter, value: string): void {
    this.filter({ [key]: this.state.filter[key] === value ? "" : value });
  }

  everything(): void {
    this.change({ filter: EVERYTHING });
  }

  /** A page's own choice: one of `values`, the first one by default. */
  option<T extends string>(name: string, values: readonly T[]): T {
    const given = this.state.options.get(name);
    return values.find((value) => value === given) ?? values[0];
  }

  /** Choose an option; null: the initial value. `step`: the browser's back button undoes it. */
  choose(name: string, value: string | null, step = false): void {
    this.chooseAll(new Map([[name, value]]), step);
  }

  /** Choose several options at once. */
  chooseAll(values: ReadonlyMap<string, string | null>, step = false): void {
    const options = new Map(this.state.options);
    for (const [name, value] of values)
      if (value === null) options.delete(name);
      else options.set(name, value);
    this.change({ options }, step);
  }

  /** Remove the latest choice that is still in use. */
  takeBack(): void {
    for (let keys = this.taken.pop(); keys; keys = this.taken.pop()) {
      const still = keys.filter((key) => this.state.filter[key]);
      if (!still.length) continue;
      this.filter(Object.fromEntries(still.map((key) => [key, ""])));
      return;
    }
  }

  /** The browser's back button undoes another page, run or filter, but another option only as a `step`. */
  change(change: Partial<State>, step = false): void {
    const state = { ...this.state, ...change };
    const differs = FILTERS.filter((key) => state.filter[key] !== this.state.filter[key]);
    const set = differs.filter((key) => state.filter[key]);
    if (set.length) this.taken.push(set);
    const address = toAddress(state);
    const { pathname, search } = window.location;
    const place = address ? `#${address}` : pathname + search;
    const other = state.page !== this.state.page || state.run !== this.state.run || differs.length > 0;
    if (address !== toAddress(this.state) && (other || step)) window.history.pushState(null, "", place);
    else window.history.replaceState(null, "", place);
    this.enter(state);
  }

  private enter(state: State): void {
    this.state = state;
    this.selection = new Selection(this.run, state.filter);
    this.changed();
  }
}
