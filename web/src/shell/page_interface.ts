/** What a page of a report is. */
import type { Context } from "./context.ts";

/** A page that is open: it is shown anew whenever something was chosen, or the window has another width. */
export interface Open {
  show: () => void;
  /**
   * The key was pressed, and nothing else took it: what was chosen on this page alone is chosen no more. Return whether
   * something was.
   */
  escape?: () => boolean;
}

/** Each `page.ts` beside this folder exports one by the name of `page`: there is no other list of them. */
export interface Page {
  /** In the address. */
  name: string;
  title: string;
  /** Where it stands: pages are in ascending order of it. */
  order: number;
  /** What stands above it in place of what is told of the run. */
  heading?: (context: Context) => string;
  /** What it lets choose beside the filters, as the address names it. */
  options?: readonly string[];
  /** Filters that it takes no notice of, and why: a sentence; '' = it takes all. */
  ignores?: (context: Context) => string;
  /** Whether the report has it. */
  there?: (context: Context) => boolean;
  open: (context: Context, parent: HTMLElement) => Open;
}
