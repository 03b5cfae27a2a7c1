/** Elements. Texts that come from a file get here as text, never as markup. */

export function element<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  content: string | Node | readonly (string | Node)[] = [],
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(kind);
  if (className) made.className = className;
  if (typeof content === "string" || content instanceof Node) made.append(content);
  else made.append(...content);
  return made;
}

export function row(cells: readonly (string | Node)[], numbersFrom = 1, head = false): HTMLTableRowElement {
  return element(
    "tr",
    cells.map((cell, place) => element(head ? "th" : "td", cell, place >= numbersFrom ? "number" : "name")),
  );
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no ${id}`);
  return found;
}

export function button(text: string, act: () => void, label = ""): HTMLButtonElement {
  const made = element("button", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

/** Text with its middle left out if it is too long: names of hosts and switches differ at their ends. */
export function short(text: string, longest = 28): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const tail = Math.floor(((longest - 1) * 2) / 3);
  return `${characters.slice(0, longest - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}
