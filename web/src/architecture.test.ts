import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";

const SOURCE = import.meta.dirname;

/** Which rooms a room may import from, besides its own. */
const MAY: Record<string, readonly string[]> = {
  api: [],
  editor: [],
  markdown: [],
  state: ["api"],
  views: ["api", "editor", "markdown", "state"],
  fakes: ["api"],
};

function imports(): { file: string; room: string; target: string }[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes(".test.") && file.includes("/"))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), "utf8");
      const found = text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g);
      return [...found].map(([, target = ""]) => ({ file, room: file.split("/")[0] ?? "", target }));
    });
}

test("imports run from views to state to api, and never back", () => {
  const wrong = imports()
    .filter(({ target }) => target.startsWith("."))
    .map(({ file, room, target }) => ({ file, room, to: normalize(join(file, "..", target)).split("/")[0] ?? "" }))
    .filter(({ room, to }) => to !== room && !MAY[room]?.includes(to));
  expect(wrong).toEqual([]);
});

test("the editor knows nothing but CodeMirror and Yjs", () => {
  const foreign = imports().filter(({ room, target }) => room === "editor" && !/^(\.\/|@codemirror\/|@lezer\/|yjs$)/.test(target));
  expect(foreign).toEqual([]);
});

test("the editor is imported as a whole only by the door that loads it late", () => {
  const eager = imports().filter(({ file, target }) => target === "../editor" && file !== "views/load-editor.ts");
  const typeOnly = eager.filter(({ file }) => !/import type [^;]+from "\.\.\/editor"/.test(readFileSync(join(SOURCE, file), "utf8")));
  expect(typeOnly).toEqual([]);
});

test("Markdown knows nothing of the page, and is entered by its door", () => {
  const foreign = imports().filter(({ room, target }) => room === "markdown" && !/^(\.\/|marked$|dompurify$|katex$|@lezer\/highlight$)/.test(target));
  const trespassers = imports().filter(({ room, target }) => room !== "markdown" && /\/markdown\//.test(target));
  expect([...foreign, ...trespassers]).toEqual([]);
});

test("HTML becomes elements in one place: the sanitiser of Markdown", () => {
  const risky = imports().filter(({ file, target }) => target === "dompurify" && file !== "markdown/sanitise.ts");
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes(".test."));
  const raw = /\{@html|innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|DOMParser|document\.write|srcdoc/;
  const elsewhere = files.filter((file) => raw.test(readFileSync(join(SOURCE, file), "utf8")));
  expect({ risky, elsewhere }).toEqual({ risky: [], elsewhere: [] });
});
