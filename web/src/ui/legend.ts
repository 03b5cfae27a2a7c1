/** The meaning of colours, as a line above a figure. */
import type { Scale } from "./colours.ts";
import { element } from "./dom.ts";

export function legend(scale: Scale): Node[] {
  const strip = element("span", [], "strip");
  strip.style.background = `linear-gradient(to right, ${scale.colours.join(", ")})`;
  const marks = scale.marks.map(({ colour, text }) => {
    const dot = element("span", [], "dot");
    dot.style.background = colour;
    return element("span", [dot, text], "entry");
  });
  if (scale.ticks) return [element("span", scale.low), ticked(strip, scale.ticks), ...high(scale), ...marks];
  return [element("span", scale.low), strip, ...high(scale), ...marks];
}

function high(scale: Scale): HTMLElement[] {
  return scale.high ? [element("span", scale.high)] : [];
}

function ticked(strip: HTMLElement, ticks: { at: number; text: string }[]): HTMLElement {
  strip.classList.add("long");
  const labels = ticks.map(({ at, text }) => {
    const label = element("span", text, "tick");
    label.style.left = `${100 * at}%`;
    return label;
  });
  return element("span", [strip, ...labels], "ticked");
}
