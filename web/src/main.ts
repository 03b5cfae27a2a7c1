import "./page.css";
import "./shell/shell.css";
import "./ui/print.css";
import { unpacked } from "./container.ts";
import { Shell } from "./shell/shell.ts";
import { byId, element } from "./ui/dom.ts";
import { look } from "./ui/look.ts";

async function start(): Promise<void> {
  document.documentElement.dataset.theme = look();
  new Shell(await unpacked(byId("data").textContent.trim()), byId("main"));
}

start().catch((error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  byId("main").replaceChildren(element("p", `This page can't be shown: ${said}`, "warnings"));
});
