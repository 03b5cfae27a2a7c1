/** A command, and a button that copies it. */
import { button, element } from "./dom.ts";

const SHOWN_MS = 1500;

export function command(text: string): HTMLElement {
  const code = element("code", text);
  const made = button(
    "copy",
    () => {
      copy(text)
        .then(() => "copied")
        .catch(() => {
          // The page has no access to the clipboard: the selected text can be copied by the keyboard.
          window.getSelection()?.selectAllChildren(code);
          return "selected";
        })
        .then(say)
        .catch(() => undefined);
    },
    `copy ${text}`,
  );
  const say = (what: string) => {
    made.textContent = what;
    window.setTimeout(() => {
      made.textContent = "copy";
    }, SHOWN_MS);
  };
  made.className = "plain";
  return element("div", [code, made], "command");
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
