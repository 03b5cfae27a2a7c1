/** How finely canvases are drawn: as the screen is, or more so for a picture that is kept. */

/** Dots for each pixel, of pictures that are kept, and on paper. */
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
