import "../page.css";
import "../ui/print.css";
import "./runs.css";
import { startPage } from "../start.ts";
import type { SheetData } from "./contract.ts";
import { RunsPage } from "./whole.ts";

startPage((data, main, toggle) => new RunsPage(data as SheetData, main, toggle));
