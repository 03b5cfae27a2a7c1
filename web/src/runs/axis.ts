/** Axes of charts: their scales and ticks. */
import { scaleLinear, scaleLog } from "d3-scale";
import { byteText, digits, percentText, secondText } from "../units.ts";
import type { AxisData } from "./contract.ts";

export interface Axis {
  place: (value: number) => number;
  ticks: [value: number, text: string][];
}

/** Pixels from tick to tick, at least. */
const APART = 60;
/** The same between names: of a letter, and between two names. */
const [LETTER, NAMES_APART] = [7, 20];
/** Letters of a name. */
export const LONGEST = 12;

/**
 * The axis of some values.
 * @param values all that are drawn
 * @param range from the first pixel to the last
 */
export function axisOf(data: AxisData, values: readonly number[], range: [number, number]): Axis {
  const given = data.logarithmic ? values.filter((value) => value > 0) : values;
  const [least, most] = given.length ? [Math.min(...given), Math.max(...given)] : [0, 1];
  const length = Math.abs(range[1] - range[0]);
  const longest = Math.min(LONGEST, Math.max(0, ...data.labels.map(([, text]) => text.length)));
  const apart = longest ? Math.max(APART / 2, LETTER * longest + NAMES_APART) : APART;
  const few = Math.max(2, Math.floor(length / apart));
  if (data.logarithmic) {
    const low = Math.max(least, Number.MIN_VALUE);
    const scale = scaleLog([low, most > low ? most : 2 * low], range);
    return { place: scale, ticks: ticks(data, scale.ticks(few), few) };
  }
  // (Names of values need room on both sides; most times and shares begin at zero, so that lines are to scale.)
  const start = data.fromZero ? Math.min(0, least) : least;
  const ends = data.labels.length ? [least - 0.5, most + 0.5] : [start, most > start ? most : start + 1];
  const scale = scaleLinear(ends, range);
  if (!data.labels.length) scale.nice(few);
  return { place: scale, ticks: ticks(data, scale.ticks(few), data.labels.length ? few : 2 * few) };
}

function ticks(data: AxisData, found: readonly number[], few: number): [number, string][] {
  if (data.labels.length) {
    const step = Math.ceil(data.labels.length / few);
    return data.labels.filter((_, place) => place % step === 0);
  }
  const step = Math.ceil(found.length / few);
  return found.filter((_, place) => place % step === 0).map((value) => [value, unitText(value, data.unit)]);
}

export function unitText(value: number, unit: string): string {
  if (unit === "s") return secondText(value);
  if (unit === "B") return byteText(value);
  if (unit === "%") return percentText(value);
  return Number.isInteger(value) ? value.toLocaleString("en") : digits(value);
}
