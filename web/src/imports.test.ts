/** Files import each other in one direction only: lower layers do not know the upper ones. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const ROOT = import.meta.dirname;
const PATTERN = /\bimport\.meta\.glob[^(]*\("([^"]+)"/g;
const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+\.ts)"/g;

/** The imports of each file of the pages, including types. */
function imports(): Map<string, string[]> {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf-8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const named = (file: string) => {
    const text = readFileSync(join(ROOT, file), "utf-8");
    const all = (of: RegExp) =>
      Array.from(text.matchAll(of), ([, other]) => normalize(join(dirname(file), other)));
    return [
      ...all(IMPORT),
      ...all(PATTERN).flatMap((pattern) => {
        const fits = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`);
        return files.filter((other) => fits.test(other));
      }),
    ];
  };
  return new Map(files.map((file) => [file, named(file)]));
}

/** The files of a cycle, the first one repeated at its end; null: no cycle. */
function circle(of: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const way: string[] = [];
  const from = (file: string): string[] | null => {
    const start = way.indexOf(file);
    if (start >= 0) return [...way.slice(start), file];
    if (done.has(file)) return null;
    way.push(file);
    for (const other of of.get(file) ?? []) {
      const found = from(other);
      if (found) return found;
    }
    way.pop();
    done.add(file);
    return null;
  };
  for (const file of of.keys()) {
    const found = from(file);
    if (found) return found;
  }
  return null;
}

test("a circle of imports is found", () => {
  const files = { a: ["b"], b: ["c"], c: ["b", "d"], d: [] };
  expect(circle(new Map(Object.entries(files)))).toEqual(["b", "c", "b"]);
  expect(circle(new Map(Object.entries({ ...files, c: ["d"] })))).toBeNull();
});

test("no file imports itself, by whatever way", () => {
  const all = imports();
  expect(all.get("shell/pages.ts")).toContain("network/page.ts");
  expect(all.get("shell/pages.ts")).toContain("shell/page_interface.ts");
  expect(circle(all)).toBeNull();
});

test("parts of all pages know none of them", () => {
  const below = (folder: string) => [...imports()].filter(([file]) => file.startsWith(`${folder}/`));
  const outside = (folder: string, allowed: RegExp) =>
    below(folder).flatMap(([file, others]) =>
      others.filter((other) => !allowed.test(other)).map((other) => `${file} imports ${other}`),
    );
  expect(below("ui").length).toBeGreaterThan(20);
  expect(outside("ui", /^(ui\/|units\.ts$)/)).toEqual([]);
});
