/** Dark or light: the system's setting, until one is chosen. */
import { button } from "./dom.ts";
import { FINE, finely } from "./dots.ts";
import { fitPaper } from "./paper.ts";

type Look = "light" | "dark";

export function look(): Look {
  const given = document.documentElement.dataset.theme;
  if (given === "light" || given === "dark") return given;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Use the look of the system, and return the button that switches to the other one. Paper is light. */
export function lookButton(main: HTMLElement, changed: () => void): HTMLButtonElement {
  const put = (wanted: Look) => {
    document.documentElement.dataset.theme = wanted;
    toggle.textContent = other();
    changed();
  };
  const other = (): Look => (look() === "dark" ? "light" : "dark");
  document.documentElement.dataset.theme = look();
  const toggle = button(other(), () => {
    put(other());
  });
  toggle.id = "theme";
  toggle.title = "colours of the page";
  let onScreen = look();
  fitPaper(main, (paper) => {
    if (paper) onScreen = look();
    if (paper)
      finely(FINE, () => {
        put("light");
      });
    else put(onScreen);
  });
  return toggle;
}
