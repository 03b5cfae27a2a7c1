/** Starts a page that shows one thing: reads its data, draws it, and again when the window changes. */
import { contents } from "./container.ts";
import { byId, element } from "./ui/dom.ts";
import { lookButton } from "./ui/look.ts";

interface Shown {
  /** Draw it for the present width and colours. */
  show(): void;
}

/** Pause after the last change of the size, in milliseconds. */
const PAUSE = 150;

export function startPage(make: (data: unknown, main: HTMLElement, toggle: HTMLElement) => Shown): void {
  start(make).catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error);
    byId("main").replaceChildren(element("p", `This page can't be shown: ${said}`, "warnings"));
  });
}

async function start(make: (data: unknown, main: HTMLElement, toggle: HTMLElement) => Shown): Promise<void> {
  const redraw: { page?: Shown } = {};
  const toggle = lookButton(byId("main"), () => redraw.page?.show());
  redraw.page = make(await contents(byId("data").textContent.trim()), byId("main"), toggle);
  let waiting = 0;
  window.addEventListener("resize", () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => redraw.page?.show(), PAUSE);
  });
}
