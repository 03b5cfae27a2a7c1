import { defineConfig } from "vitest/config";

/** Tests of what needs no browser, beside the sources. (Those of pages in a browser: tests/unit/test_*_browser.py.) */
export default defineConfig({ test: { include: ["src/**/*.test.ts"], environment: "node" } });
