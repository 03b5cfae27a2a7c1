/** The pages of a report, in their order. */
import { callsPage } from "../calls/page.ts";
import { comparisonPage } from "../comparison/page.ts";
import { overviewPage } from "../overview/page.ts";
import { communicatorsPage } from "../communicators/page.ts";
import { sitesPage } from "../sites/page.ts";
import { matrixPage } from "../matrix/page.ts";
import { balancePage } from "../balance/page.ts";
import { timeLinePage } from "../time_line/page.ts";
import { placePage } from "../place/page.ts";
import { appendixPage } from "../appendix/page.ts";
import { networkPage } from "../network/shown.ts";
import type { Page } from "./page.ts";

export const PAGES: readonly Page[] = [
  comparisonPage,
  overviewPage,
  communicatorsPage,
  callsPage,
  sitesPage,
  matrixPage,
  balancePage,
  timeLinePage,
  placePage,
  networkPage,
  appendixPage,
];
