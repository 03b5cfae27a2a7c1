import "./page.css";
import { unpacked } from "./container.ts";
import type { Report } from "./contract.ts";
import { NetworkPage } from "./network/page.ts";
import { button, byId, element } from "./ui/dom.ts";

type Look = "light" | "dark";

function look(): Look {
  const given = document.documentElement.dataset.theme;
  if (given === "light" || given === "dark") return given;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function header(report: Report, changed: () => void): HTMLElement {
  const phrases = (texts: string[]) => texts.map((text) => element("span", text));
  const words: Node[] = [
    element("h1", report.title),
    element("p", report.lead, "lead"),
    element("p", phrases(report.about), "about"),
  ];
  if (report.warnings.length) words.push(element("p", `Beware: ${report.warnings.join("; ")}`, "warnings"));
  const other = (): Look => (look() === "dark" ? "light" : "dark");
  const toggle = button(other(), () => {
    document.documentElement.dataset.theme = other();
    toggle.textContent = other();
    changed();
  });
  toggle.id = "theme";
  toggle.className = "plain";
  toggle.title = "colours of the page";
  return element("header", [element("div", words), toggle]);
}

async function start(): Promise<void> {
  const main = byId("main");
  document.documentElement.dataset.theme = look();
  const report = await unpacked(byId("data").textContent.trim());
  let page: NetworkPage | null = null;
  main.replaceChildren(header(report, () => page?.show()));
  if (report.network) page = new NetworkPage(report.network, main);
  let waiting = 0;
  window.addEventListener("resize", () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => page?.show(), 150);
  });
}

start().catch((error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  byId("main").replaceChildren(element("p", `This page can't be shown: ${said}`, "warnings"));
});
