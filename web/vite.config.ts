import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/** Puts script and style into the page, and their hashes into its content security policy: nothing else runs. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += text(file.source);
        else continue;
        Reflect.deleteProperty(bundle, name);
      }
      if (/<\/script|<!--/i.test(script)) this.error("the script would end its element");
      const page = bundle["index.html"];
      if (page.type !== "asset") throw new Error("there is no page");
      page.fileName = "report.html";
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

export default defineConfig({
  plugins: [singleFile()],
  build: {
    outDir: "../python/rankwise/report/page",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
