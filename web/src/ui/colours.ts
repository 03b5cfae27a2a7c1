/** The colours of amounts: further from the paper = more. */

// As python/rankwise/render/figures/heatmap/scale.py.
export const PALETTE = [
  "#472a7a",
  "#3e4c8a",
  "#306a8e",
  "#25848e",
  "#1f9f88",
  "#37b878",
  "#6ece58",
  "#b5de2b",
  "#fde725",
];
export const STEPS = 64;
/** For links that carry more than they need to, and for values beyond a scale. */
export const HOT = "#e3342f";

/** A scale of colours for legends: from the least to the most, none or several, and further colours. */
export interface Scale {
  low: string;
  high: string;
  /** Round values between them, from 0 to 1, in place of both. */
  ticks?: { at: number; text: string }[];
  colours: string[];
  marks: { colour: string; text: string }[];
}

export interface Theme {
  dark: boolean;
  ink: string;
  faint: string;
  rule: string;
  paper: string;
  ground: string;
  accent: string;
  unlit: string;
  /** Of changes. */
  slower: string;
  faster: string;
  /** STEPS colours, as text and as red, green, blue. */
  ramp: string[];
  ramp3: [number, number, number][];
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const dark = of("dark") === "1";
  // The darkest colours are hardly visible on dark paper, the brightest ones on white.
  const stops = dark ? PALETTE.slice(2) : PALETTE.slice(0, -1).reverse();
  const ramp3 = Array.from({ length: STEPS }, (_, step) => mixed(stops, step / (STEPS - 1)));
  return {
    dark,
    ink: of("ink"),
    faint: of("faint"),
    rule: of("rule"),
    paper: of("paper"),
    ground: of("ground"),
    accent: of("accent"),
    unlit: of("unlit"),
    slower: of("slower"),
    faster: of("faster"),
    ramp: ramp3.map(([red, green, blue]) => `rgb(${red},${green},${blue})`),
    ramp3,
  };
}

export function parts(colour: string): [number, number, number] {
  const whole = parseInt(colour.slice(1), 16);
  return [whole >> 16, (whole >> 8) & 255, whole & 255];
}

/** A colour in the memory format of a canvas, and back. */
export function packed([red, green, blue]: readonly number[]): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function unpacked(colour: number): [number, number, number] {
  return [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
}

export function mixed(stops: readonly string[], place: number): [number, number, number] {
  const low = Math.min(Math.floor(place * (stops.length - 1)), stops.length - 2);
  const share = place * (stops.length - 1) - low;
  const [one, other] = [parts(stops[low]), parts(stops[low + 1])];
  return [0, 1, 2].map((i) => Math.round(one[i] + share * (other[i] - one[i]))) as [number, number, number];
}

/** Return the step of a value; logarithmic: over the last three decades. */
export function stepOf(value: number, most: number, logarithmic: boolean): number {
  if (most <= 0) return 0;
  const height = logarithmic ? 1 + Math.log10(Math.max(value / most, 1e-3)) / 3 : value / most;
  return Math.max(0, Math.min(STEPS - 1, Math.round(height * (STEPS - 1))));
}

/** Return black or white: the readable one on a colour. */
export function inkOn(colour: readonly [number, number, number]): string {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Contrasts by WCAG: one of the two is at least 4.5.
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}
