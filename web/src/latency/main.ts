import "../page.css";
import "../ui/print.css";
import "./latency.css";
import { contents } from "../container.ts";
import { byId, element } from "../ui/dom.ts";
import { lookButton } from "../ui/look.ts";
import type { LatencyData } from "./contract.ts";
import { Model } from "./model.ts";
import { LatencyPage } from "./whole.ts";

async function start(): Promise<void> {
  const redraw: { page?: LatencyPage } = {};
  const toggle = lookButton(byId("main"), () => redraw.page?.show());
  const data = (await contents(byId("data").textContent.trim())) as LatencyData;
  redraw.page = new LatencyPage(new Model(data), byId("main"), toggle);
  let waiting = 0;
  window.addEventListener("resize", () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => redraw.page?.show(), 150);
  });
}

start().catch((error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  byId("main").replaceChildren(element("p", `This page can't be shown: ${said}`, "warnings"));
});
