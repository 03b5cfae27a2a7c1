import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { contents } from "./container.ts";

/** The text of a page with a JSON text and columns. */
function packed(json: unknown, columns: number[]): string {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, text.length, true);
  return gzipSync(Buffer.concat([head, text, Uint8Array.from(columns)])).toString("base64");
}

test("columns are typed arrays, their bytes taken apart and differences added up", async () => {
  const json = {
    name: "é",
    plain: { column: ["u16", 0, 3, 0] },
    inside: [{ column: ["i32", 6, 2, 1] }],
    none: { column: ["f64", 0, 0, 0] },
  };
  // 1, 258, 3; then 5, and 2 less.
  const columns = [1, 2, 3, 0, 1, 0, 5, 254, 0, 255, 0, 255, 0, 255];
  expect(await contents(packed(json, columns))).toEqual({
    name: "é",
    plain: Uint16Array.of(1, 258, 3),
    inside: [Int32Array.of(5, 3)],
    none: new Float64Array(0),
  });
});
