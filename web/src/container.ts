/**
 * The data of the page: gzip, in base64. Inside: the length of a JSON text as 4 bytes, the text, and after it the
 * columns. In the JSON a column is {"column": [type, start, length, delta]}: its bytes are separated by their place in
 * the number (first bytes of all numbers, then second bytes, ...), which packs well; with delta 1 each number is the
 * difference to the previous one.
 */
import type { Report } from "./contract.ts";
import type { Numbers } from "./ui/data.ts";

const TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

type Column = [type: keyof typeof TYPES, start: number, length: number, delta: 0 | 1];

export async function unpacked(text: string): Promise<Report> {
  return (await contents(text)) as Report;
}

/** Return the content of any page. */
export async function contents(text: string): Promise<unknown> {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(stream).arrayBuffer());
  const begin = 4 + new DataView(whole.buffer).getUint32(0, true);
  const json = new TextDecoder().decode(whole.subarray(4, begin));
  return JSON.parse(json, (_key, value: unknown) =>
    isColumn(value) ? column(whole.subarray(begin), value.column) : value,
  );
}

function isColumn(value: unknown): value is { column: Column } {
  return typeof value === "object" && value !== null && "column" in value;
}

function column(bytes: Uint8Array, [type, start, length, delta]: Column): Numbers {
  const width = TYPES[type].BYTES_PER_ELEMENT;
  const together = new Uint8Array(length * width);
  for (let place = 0; place < width; place++) {
    const from = start + place * length;
    for (let i = 0; i < length; i++) together[i * width + place] = bytes[from + i];
  }
  const numbers = new TYPES[type](together.buffer);
  if (delta) for (let i = 1; i < length; i++) numbers[i] += numbers[i - 1];
  return numbers;
}
