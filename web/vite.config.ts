import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const MODULES = join(import.meta.dirname, "node_modules");
const FIRST_FONTS = /(inter|source-serif-4)-latin-opsz-normal-[^/]*\.woff2$/;
const FONTS = ["@fontsource", "@fontsource-variable"];

/** Writes licences.txt: the licence of every package whose code or fonts are in the bundle. */
function licences(): Plugin {
  return {
    name: "licences",
    apply: "build",
    generateBundle() {
      // Style sheets are no modules of the bundle, so the fonts are named by their folder.
      const names = new Set(FONTS.flatMap((scope) => readdirSync(join(MODULES, scope)).map((font) => `${scope}/${font}`)));
      for (const id of this.getModuleIds()) {
        const name = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1];
        if (name) names.add(name);
      }
      if ([...this.getModuleIds()].some((id) => id.endsWith("/src/main.ts"))) for (const name of packagesOf("mermaid")) names.add(name);
      const source = [...names].sort().map(licenceOf).join(`\n\n${"-".repeat(72)}\n\n`);
      this.emitFile({ type: "asset", fileName: "licences.txt", source: `${source}\n` });
    },
  };
}

/** Puts what pdf.js asks for while it reads beside the scripts: character maps, fonts, and decoders that are plain scripts. */
function partsOfPdfs(): Plugin {
  return {
    name: "parts-of-pdfs",
    apply: "build",
    generateBundle() {
      if (![...this.getModuleIds()].some((id) => id.includes("/node_modules/pdfjs-dist/"))) return;
      const home = join(MODULES, "pdfjs-dist");
      const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string };
      for (const folder of ["cmaps", "standard_fonts", "wasm"]) {
        for (const name of readdirSync(join(home, folder))) {
          if (!/(^LICENSE|\.bcmap$|\.pfb$|\.ttf$|_nowasm_fallback\.js$)/.test(name)) continue;
          this.emitFile({ type: "asset", fileName: `assets/pdfjs-${version}/${folder}/${name}`, source: readFileSync(join(home, folder, name)) });
        }
      }
    },
  };
}

/** Makes the page that draws diagrams: one file with its script inside, as a frame without an origin can load no other. */
function diagramFrame(): Plugin {
  return {
    name: "diagram-frame",
    apply: "build",
    generateBundle() {
      if (![...this.getModuleIds()].some((id) => id.endsWith("/src/main.ts"))) return;
      const parts = [join(MODULES, "mermaid", "dist", "mermaid.min.js"), join(import.meta.dirname, "diagram-frame.js")];
      // Neither may end the element that it stands in, nor begin a comment.
      const script = parts.map((part) => readFileSync(part, "utf8")).join("\n").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      this.emitFile({ type: "asset", fileName: "diagrams.html", source: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagrams</title><body><script>${script}</script></body></html>` });
    },
  };
}

/** Packs what is text once, here, so that no server packs it for every visit. */
function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    enforce: "post",
    writeBundle({ dir = "" }, bundle) {
      for (const name of [...Object.keys(bundle), "theme.js"]) {
        if (!/\.(m?js|css|html|svg|txt)$/.test(name)) continue;
        const text = readFileSync(join(dir, name));
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(text, { level: 9 }));
      }
    },
  };
}

/** Puts styles and scripts behind the first words of the page, which would wait for them otherwise. */
function wordsFirst(): Plugin {
  return {
    name: "words-first",
    apply: "build",
    enforce: "post",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        if (!html.includes('class="first-words"')) return html;
        const later = html.match(/<(?:link rel="(?:stylesheet|modulepreload)"|script type="module")[^>]*>(?:<\/script>)?/g) ?? [];
        const rest = later.reduce((text, tag) => text.replace(tag, ""), html);
        return rest.replace("</body>", `  ${later.join("\n    ")}\n  </body>`);
      },
    },
  };
}

/** Has the browser ask for the letters of the first screen together with the style sheet that names them. */
function fontsFirst(): Plugin {
  return {
    name: "fonts-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const fonts = Object.keys(bundle).filter((name) => FIRST_FONTS.test(name));
        return fonts.map((name) => ({
          tag: "link",
          attrs: { rel: "preload", href: `/${name}`, as: "font", type: "font/woff2", crossorigin: "" },
          injectTo: "head",
        }));
      },
    },
  };
}

/** A package and all that it is made of, whose code is in the file that it brings. */
function packagesOf(name: string, found = new Set<string>()): Set<string> {
  const home = join(MODULES, name);
  if (found.has(name) || name.startsWith("@types/") || !existsSync(home)) return found;
  found.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { dependencies?: Record<string, string> };
  for (const one of Object.keys(dependencies)) packagesOf(one, found);
  return found;
}

function licenceOf(name: string): string {
  const folder = join(MODULES, name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled and has no licence file.`);
  return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

/** The workspace's page, or with `--mode gateway` the gateway's: each is served by its own process only. */
const PAGES = {
  workspace: { input: "index.html", outDir: "../src/recto/server/static" },
  gateway: { input: "gateway.html", outDir: "../src/recto/gateway/static" },
};

function pageOf(mode: string) {
  return mode === "gateway" ? PAGES.gateway : PAGES.workspace;
}

export default defineConfig(({ mode }) => ({
  base: "/",
  plugins: [svelte(), licences(), partsOfPdfs(), diagramFrame(), fontsFirst(), wordsFirst(), packed()],
  // An empty list would drop the default conditions, and Svelte would resolve to its server build.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  build: {
    outDir: pageOf(mode).outDir,
    rolldownOptions: { input: pageOf(mode).input },
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    // Fonts must stay files: the page may not load data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: "jsdom",
    alias: [{ find: /^\.\/load-dialogs$/, replacement: join(import.meta.dirname, "src/shell/views/fake-load-dialogs.ts") }],
    pool: "vmThreads",
    setupFiles: ["src/test-setup.ts"],
    include: ["src/**/*.test.ts"],
    // Ends what hangs; a busy machine is no reason to fail.
    testTimeout: 60_000,
  },
}));
