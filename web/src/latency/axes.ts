/** Logarithmic axes of drawings. */
import { type ScaleLogarithmic, scaleLog } from "d3-scale";
import { measured } from "../ui/text_width.ts";

const FEW = [1, 3];
const MORE = [1, 2, 3, 5];
const MOST = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

/** Return round values between two, at most this many. */
export function roundValues(low: number, high: number, most: number): number[] {
  const between = (steps: number[]) => {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      found.push(...steps.map((step) => Number(`${step}e${power}`)));
    return found.filter((value) => value >= low * 0.999 && value <= high * 1.001);
  };
  for (const steps of [MOST, MORE, FEW, [1]]) {
    const found = between(steps);
    if (found.length >= 2 && found.length <= most) return found;
  }
  const decades = between([1]);
  const every = Math.ceil(decades.length / most);
  if (decades.length > most) return decades.filter((_, place) => place % every === 0);
  return [...new Set([low, high].map((value) => Number(value.toPrecision(3))))];
}

export function logScale(
  [low, high]: [number, number],
  [from, to]: [number, number],
): ScaleLogarithmic<number, number> {
  return scaleLog([low, high], [from, to]).clamp(true);
}

/** Return the marks whose texts do not overlap. */
export function apart<T extends { at: number; text: string }>(marks: readonly T[], gap = 8): T[] {
  let free = -Infinity;
  return marks.filter(({ at, text }) => {
    const half = measured(text) / 2;
    if (at - half < free) return false;
    free = at + half + gap;
    return true;
  });
}
