/** How wide a text is that is written in the font of drawings. */

const context = document.createElement("canvas").getContext("2d");

export function measured(text: string, size = 11): number {
  if (!context) return 0.6 * size * text.length;
  context.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}
