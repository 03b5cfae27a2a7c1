/** Colours of latencies: the same as in the drawings, for both looks of the page. */
import { HOT, mixed, packed, PALETTE, parts, type Scale } from "../ui/colours.ts";
import { digits } from "../units.ts";
import type { ViewData } from "./contract.ts";
import { END, heightBy } from "./model.ts";

const STEPS = 256;
const RAMP = Array.from({ length: STEPS }, (_, step) => mixed(PALETTE, step / (STEPS - 1)));
const PACKED = RAMP.map(packed);
const BEYOND = packed(parts(HOT));
/** Highest place of a mark on the scale, if there is something beyond it. */
const LAST_MARK = 0.97;
const EDGE = 0.02;

/** Red, green, blue at a height. */
export function shade(height: number): [number, number, number] {
  return height > END ? parts(HOT) : RAMP[stepAt(height)];
}

export function shadeText(height: number): string {
  return `rgb(${shade(height).join(",")})`;
}

/** Return a function that gives the colour of a cell, in the memory format of a canvas. */
export function colourOf(heights: Float32Array): (cell: number) => number {
  const missing = packed(parts(missingColour()));
  return (cell) => {
    const height = heights[cell];
    if (height < 0) return missing;
    return height > END ? BEYOND : PACKED[stepAt(height)];
  };
}

function stepAt(height: number): number {
  return Math.min(STEPS - 1, Math.round(height * (STEPS - 1)));
}

export function missingColour(): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--missing").trim();
}

export function scaleOf(view: ViewData, logarithmic: boolean, missing: boolean): Scale {
  const height = heightBy(view, logarithmic);
  let free = -1;
  const ticks = view.ticks.flatMap(([value, text]) => {
    const at = height(value);
    // In a linear scale the marks of a logarithmic one would crowd at its fast end.
    if (at - free < 0.08 || (view.cut && at > LAST_MARK)) return [];
    free = at;
    return [{ at: Math.max(EDGE, Math.min(1 - EDGE, at)), text }];
  });
  const marks: Scale["marks"] = [];
  if (view.cut)
    marks.push({ colour: HOT, text: `${view.smallest ? "<" : ">"} ${digits(view.slow)} ${view.unit}` });
  if (missing) marks.push({ colour: missingColour(), text: "not measured" });
  return { low: view.unit, high: "", ticks, colours: [...PALETTE], marks };
}
