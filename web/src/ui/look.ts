/** Dark or light: as the system has it, until one is chosen. */
import { button } from "./dom.ts";

type Look = "light" | "dark";

function look(): Look {
  const given = document.documentElement.dataset.theme;
  if (given === "light" || given === "dark") return given;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Put on the look of the system, and return the button that puts on the other one. */
export function lookButton(changed: () => void): HTMLButtonElement {
  document.documentElement.dataset.theme = look();
  const other = (): Look => (look() === "dark" ? "light" : "dark");
  const toggle = button(other(), () => {
    document.documentElement.dataset.theme = other();
    toggle.textContent = other();
    changed();
  });
  toggle.id = "theme";
  toggle.className = "plain";
  toggle.title = "colours of the page";
  return toggle;
}
