/** The width of a text in the font of drawings, and shortening to the available room. */
import { short } from "./dom.ts";

let context: CanvasRenderingContext2D | null | undefined;

export function measured(text: string, size = 11): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0.6 * size * text.length;
  context.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}

/** Return a text with its middle left out, so that it is no wider; "" if hardly anything would be left. */
export function fitting(text: string, width: number, size = 11): string {
  const least = 4;
  const whole = Array.from(text).length;
  if (measured(text, size) <= width) return text;
  let [low, high] = [0, whole - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measured(short(text, middle), size) <= width) low = middle;
    else high = middle - 1;
  }
  return low >= least ? short(text, low) : "";
}
