import "../page.css";
import "../ui/print.css";
import "./latency.css";
import { startPage } from "../start.ts";
import type { LatencyData } from "./contract.ts";
import { Model } from "./model.ts";
import { LatencyPage } from "./whole.ts";

startPage((data, main, toggle) => new LatencyPage(new Model(data as LatencyData), main, toggle));
