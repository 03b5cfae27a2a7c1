import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "./pages.ts";

test("the pages are those of all folders, in their order", () => {
  const files = readdirSync(join(import.meta.dirname, ".."), { recursive: true, encoding: "utf-8" });
  const folders = files.flatMap((file) => /^([^/]+)\/page\.ts$/.exec(file)?.[1] ?? []);
  const there = folders.map((folder) => folder.replace("_", "-"));
  expect(PAGES.map(({ name }) => name).sort()).toEqual(there.sort());
  const orders = PAGES.map(({ order }) => order);
  expect(orders).toEqual([...new Set(orders)].sort((one, other) => one - other));
  expect(PAGES.at(0)?.name).toBe("comparison");
});
