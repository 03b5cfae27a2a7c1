import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/** The pages, each built on its own: `vite build --mode NAME`. The name of the file to be, by that of the source. */
const PAGES: Record<string, string> = {
  report: "index.html",
  latency: "latency.html",
  runs: "runs.html",
  centre: "centre.html",
};

/** Puts script and style into the page, and their hashes into its content security policy: nothing else runs. */
function singleFile(name: string): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [of, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (of.endsWith(".css")) style += text(file.source);
        else continue;
        Reflect.deleteProperty(bundle, of);
      }
      if (/<\/script|<!--/i.test(script)) this.error("the script would end its element");
      const page = bundle[PAGES[name]];
      if (page.type !== "asset") throw new Error("there is no page");
      page.fileName = `${name}.html`;
      page.source = text(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("STYLE-HASH", () => hash(style))
        .replace("SCRIPT-HASH", () => hash(script))
        .replace("<style></style>", () => `<style>${style}</style>`)
        .replace("<script></script>", () => `<script type="module">${script}</script>`);
    },
  };
}

function text(source: string | Uint8Array): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source);
}

function hash(content: string): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}

export default defineConfig(({ mode }) => ({
  plugins: [singleFile(mode)],
  logLevel: "warn",
  build: {
    rolldownOptions: { input: PAGES[mode] },
    // Elsewhere, to be compared with what is shipped.
    outDir: process.env.PAGES_TO ?? "../python/rankwise/render/page",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
}));
