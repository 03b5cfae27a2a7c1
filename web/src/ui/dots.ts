/** The resolution of canvases: the screen's, or a higher one for a saved picture. */

/** Dots for each pixel, in saved pictures, and on paper. */
export const FINE = 2;

let least = 1;

export function dots(): number {
  return Math.max(least, window.devicePixelRatio);
}

/** Call with canvases being drawn with that many dots for each pixel, at least. */
export function finely(wanted: number, draw: () => void): void {
  least = wanted;
  try {
    draw();
  } finally {
    least = 1;
  }
}
