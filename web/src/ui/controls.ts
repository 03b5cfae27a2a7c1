/** Choices: a row of buttons with one pressed, or a list to pick from. */
import { button, element } from "./dom.ts";

export interface Option<T> {
  value: T;
  text: string;
  /** Why it can't be chosen; '' = it can. */
  missing?: string;
}

export function choice<T>(
  label: string,
  options: Option<T>[],
  now: T,
  choose: (value: T) => void,
): HTMLElement {
  const group = element("div", [], "choice");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  for (const option of options) {
    const made = button(option.text, () => {
      choose(option.value);
    });
    made.setAttribute("aria-pressed", String(option.value === now));
    made.dataset.key = `${label}: ${option.text}`;
    if (option.missing) {
      made.disabled = true;
      made.title = option.missing;
    }
    group.append(made);
  }
  return group;
}

export function list<T>(
  label: string,
  options: Option<T>[],
  now: T,
  choose: (value: T) => void,
): HTMLElement {
  const select = element("select");
  select.setAttribute("aria-label", label);
  select.dataset.key = label;
  options.forEach((option, place) => {
    const made = element("option", option.text);
    made.value = String(place);
    made.selected = option.value === now;
    select.append(made);
  });
  select.addEventListener("change", () => {
    choose(options[Number(select.value)].value);
  });
  return element("label", [element("span", label), select], "list");
}

/** Replace the content of an element, and keep the focus on the control that has it. */
export function redraw(parent: HTMLElement, children: readonly Node[]): void {
  const active = document.activeElement;
  const key =
    (active instanceof HTMLElement || active instanceof SVGElement) && parent.contains(active)
      ? active.dataset.key
      : undefined;
  parent.replaceChildren(...children);
  if (key === undefined) return;
  for (const candidate of parent.querySelectorAll<HTMLElement>("[data-key]"))
    if (candidate.dataset.key === key) candidate.focus({ preventScroll: true });
}
