/** What the page Comparison holds: filled by python/rankwise/render/page/contents/comparison.py. Times in seconds. */
import type { TableData } from "../ui/data.ts";

export interface ComparisonData {
  /** What ran: of both sides, if that differs. */
  title: string;
  /** What came out, a sentence. */
  finding: string;
  /** A line on the runs before, and one on those after; then what limits each. */
  sides: string[];
  /** What makes the sides hard to compare, sentences. */
  unlike: string[];
  /** How it is known what is noise, or why it is not. */
  noise: string;
  /** Change of the wall time. */
  wall: number;
  /** What is in no call of `changes`. */
  apart: { name: string; change: number }[];
  /** Calls on families of communicators, the largest change of time first: mean over the ranks. */
  changes: {
    communicator: string;
    label: string;
    procedure: string;
    before: number;
    after: number;
    change: number;
    /** What the noise leaves possible; null: it is not known. */
    low: number | null;
    high: number | null;
    verdict: string;
    /** `before` or `after`: only there. */
    only: string;
  }[];
  tables: TableData[];
  /** What the tables hold, as files have it: the first line names the columns and their units. */
  files: { name: string; lines: (string | number | null)[][] }[];
}
