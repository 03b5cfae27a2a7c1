/** The data of the page Comparison: written by python/rankwise/render/page/contents/comparison.py. Times in seconds. */
import type { TableData } from "../ui/data.ts";

export interface ComparisonData {
  /** The program; of both sides, if it differs. */
  title: string;
  /** The result, a sentence. */
  finding: string;
  /** A line on the runs before, and one on those after; then the limits of each. */
  sides: string[];
  /** Reasons why the sides are hard to compare, sentences. */
  unlike: string[];
  /** How the noise is known, or why it is not. */
  noise: string;
  /** Change of the wall time. */
  wall: number;
  /** Time outside the calls in `changes`. */
  apart: { name: string; change: number }[];
  /** Calls on families of communicators, the largest change of time first: mean of all ranks. */
  changes: {
    communicator: string;
    label: string;
    procedure: string;
    before: number;
    after: number;
    change: number;
    /** The range that the noise leaves possible; null: it is not known. */
    low: number | null;
    high: number | null;
    verdict: string;
    /** `before` or `after`: exists only there. */
    only: string;
  }[];
  tables: TableData[];
  /** The tables' content, as in files: the first line has the names of the columns and their units. */
  files: { name: string; lines: (string | number | null)[][] }[];
}
