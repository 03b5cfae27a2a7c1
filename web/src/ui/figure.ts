/** A card: a title with the finding, a caption that explains how to read it, buttons for its data and image. */
import { button, element } from "./dom.ts";

export interface Figure {
  card: HTMLElement;
  title: HTMLHeadingElement;
  body: HTMLElement;
  /** How to read it: in saved pictures, and on paper, too. */
  caption: HTMLParagraphElement;
  /** The possible interactions on a screen. */
  use: HTMLParagraphElement;
}

export function figure(id: string, data: (() => void) | null, image: (() => void) | null): Figure {
  const title = element("h2");
  title.id = `${id}-title`;
  const tools = element("div", [], "tools");
  if (data) tools.append(tool(id, "data", "as a CSV file", data));
  if (image) tools.append(tool(id, "image", "as a file", image));
  const body = element("div", [], "body");
  const caption = element("p", [], "caption");
  const use = element("p", [], "caption use");
  const card = element("section", [element("div", [title, tools], "head"), body, caption, use], "card");
  card.id = id;
  card.setAttribute("aria-labelledby", title.id);
  return { card, title, body, caption, use };
}

function tool(id: string, what: string, how: string, act: () => void): HTMLButtonElement {
  const made = button(what, act, `${what} of this figure ${how}`);
  made.id = `${id}-${what}`;
  made.title = how;
  return made;
}
