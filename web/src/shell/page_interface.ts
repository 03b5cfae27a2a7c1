/** The interface of a page of a report. */
import type { Context } from "./context.ts";

/** An open page: it is redrawn whenever the choice or the width of the window has changed. */
export interface Open {
  show: () => void;
  /**
   * The key was pressed, and nothing else used it: clears the choice on this page alone. Return whether there was one.
   */
  escape?: () => boolean;
}

/** Each `page.ts` in a sibling folder exports one by the name of `page`: there is no other list of them. */
export interface Page {
  /** Name in the address. */
  name: string;
  title: string;
  /** Its position: pages are in ascending order of it. */
  order: number;
  /** The text above it, in place of the text about the run. */
  heading?: (context: Context) => string;
  /** Its choices in addition to the filters, by their names in the address. */
  options?: readonly string[];
  /** Filters that it ignores, and why: a sentence; '' = it uses all. */
  ignores?: (context: Context) => string;
  /** Whether the report has it. */
  there?: (context: Context) => boolean;
  open: (context: Context, parent: HTMLElement) => Open;
}
