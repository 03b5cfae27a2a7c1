/** Numbers as text, as python/rankwise/text/units.py writes them. */

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const COUNTS = ["", " k", " M", " G", " T", " P"];
const SECONDS: [number, string][] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "us"],
  [1e-9, "ns"],
];

export function digits(value: number): string {
  if (value < 0.9995) return value.toFixed(3);
  if (value < 9.995) return value.toFixed(2);
  return value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function stepped(value: number, factor: number, names: string[]): [number, string] {
  let step = 0;
  while (value >= 999.5 && step < names.length - 1) {
    value /= factor;
    step++;
  }
  return [value, names[step]];
}

export function byteText(size: number): string {
  if (size < 1024) return `${size.toFixed(0)} B`;
  const [value, name] = stepped(size / 1024, 1024, BYTES.slice(1));
  return `${digits(value)} ${name}`;
}

export function countText(number: number): string {
  if (number < 10_000) return number.toFixed(Number.isInteger(number) || number >= 100 ? 0 : 1);
  const [value, name] = stepped(number, 1000, COUNTS);
  return digits(value) + name;
}

/** `1 link`, `2 links`. */
export function countOf(number: number, what: string, several = `${what}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? what : several}`;
}

export function secondText(seconds: number): string {
  if (seconds <= 0) return "0 s";
  const [unit, name] = SECONDS.find(([least]) => seconds >= least * 0.9995) ?? [1e-9, "ns"];
  return `${digits(seconds / unit)} ${name}`;
}

/** All with as many digits as needed to distinguish them, three at least. */
export function secondTexts(values: readonly number[]): string[] {
  for (let precision = 3; precision < 12; precision++) {
    const texts = values.map((seconds) => precise(seconds, precision));
    if (new Set(texts).size === new Set(values).size) return texts;
  }
  return values.map(secondText);
}

function precise(seconds: number, precision: number): string {
  const found = SECONDS.find(([least]) => seconds >= least * 0.9995);
  if (!found || precision === 3) return secondText(seconds);
  const value = seconds / found[0];
  const whole = value.toFixed(0).length;
  return `${value.toFixed(Math.max(0, precision - whole))} ${found[1]}`;
}

export function ratioText(factor: number): string {
  return factor < 10 ? factor.toFixed(2) : factor.toFixed(0);
}

export function percentText(share: number): string {
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${(100 * share).toFixed(1)} %`;
}

/** The rate of a link in bytes a second, and its lanes, 0: unknown: `200 Gbit/s (4x)`, `50 Mbit/s`. */
export function linkRateText(rate: number, width: number): string {
  const mbit = (rate * 8) / 1e6;
  const [number, unit] = mbit >= 999.5 ? [mbit / 1e3, "Gbit/s"] : [mbit, "Mbit/s"];
  const text = `${number >= 100 ? number.toFixed(0) : Number(number.toPrecision(3))} ${unit}`;
  return width ? `${text} (${width}x)` : text;
}

/** A difference of times, with its sign. */
export function changeText(seconds: number): string {
  if (!seconds) return "0";
  return `${seconds < 0 ? "-" : "+"}${secondText(Math.abs(seconds))}`;
}
