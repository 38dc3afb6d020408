import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";

const SOURCE = import.meta.dirname;

/**
 * Imports go down these layers: the suggestion at a cursor, which two editors show; api, editor and markdown; core; the state of features; app, which puts them together;
 * the views and commands of features; shell. Within a layer a feature may use another one only if it is named here.
 */
const STATE_USES: Record<string, readonly string[]> = {
  chat: ["files", "models", "picks", "request-preview"],
  "chat-library": ["chat", "picks"],
  "document-agent": ["chat", "chat-library", "documents"],
  palette: ["files"],
  picks: ["files"],
  review: ["files"],
  threads: ["chat"],
};
const VIEWS_USE: Record<string, readonly string[]> = {
  chat: ["answer-notes", "chat-library", "computer", "files", "mcp", "models", "picks", "proposals", "references", "review", "skills"],
  contexts: ["files", "skills"],
  "document-agent": ["authorship", "threads"],
  documents: ["authorship", "changes", "document-agent", "files", "notebooks", "publishing", "references", "review", "suggestions", "tables", "threads", "word"],
  gateway: ["usage"],
  mcp: ["proposals"],
  notebooks: ["document-agent"],
  palette: ["contexts", "document-agent", "skills"],
  picks: ["contexts"],
  settings: ["computer", "contexts", "mcp", "models", "review", "skills", "status-bar", "usage"],
  skills: ["files"],
  "status-bar": ["picks", "request-preview"],
  threads: ["chat"],
  word: ["document-agent"],
};
/** The folders that are no feature, with their layer. The state of features is layer 2, their views and commands are layer 4. */
const LAYERS: Record<string, number> = { ghost: -1, api: 0, editor: 0, markdown: 0, "pdf-page": 0, "word-page": 0, fakes: 1, core: 1, app: 3, shell: 5 };
/** Who may use the editor and Markdown: what shows. */
const SHOWS = 3;

interface Place {
  folder: string;
  layer: number;
}

function placeOf(file: string): Place {
  const [folder = "", inside = ""] = file.split("/");
  return { folder, layer: LAYERS[folder] ?? (/^(state$|labels\.)/.test(inside) ? 2 : 4) };
}

function mayUse(from: Place, to: Place): boolean {
  if (from.folder === to.folder) return from.layer >= to.layer;
  if (["editor", "markdown", "pdf-page", "word-page"].includes(to.folder)) return from.layer >= SHOWS;
  if (from.layer !== to.layer) return from.layer > to.layer && to.folder !== "fakes";
  return (from.layer === 2 ? STATE_USES : VIEWS_USE)[from.folder]?.includes(to.folder) ?? false;
}

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

/** The imports between files of the page: which file names which other one. */
function arrows(): { file: string; to: string }[] {
  const files = new Set(readdirSync(SOURCE, { recursive: true, encoding: "utf8" }));
  return imports()
    .filter(({ target }) => target.startsWith("."))
    .map(({ file, target }) => {
      const path = normalize(join(file, "..", target));
      const to = [path, `${path}.ts`, `${path}/index.ts`].find((name) => /\.(ts|svelte)$/.test(name) && files.has(name));
      if (to === undefined) throw new Error(`${file} imports ${target}, which is not there.`);
      return { file, to };
    });
}

/** What goes in circles: all that stays when those are taken away, again and again, that name none of the others or that none of them names. */
function inCircles(pairs: readonly { file: string; to: string }[]): string[] {
  let left = pairs;
  for (;;) {
    const named = new Set(left.map(({ to }) => to));
    const naming = new Set(left.map(({ file }) => file));
    const kept = left.filter(({ file, to }) => named.has(file) && naming.has(to));
    if (kept.length === left.length) return [...naming].sort();
    left = kept;
  }
}

/** What two editors share: it knows neither. */
function isGhost(target: string): boolean {
  return /^(\.\.\/)+ghost\/ghost$/.test(target);
}

test("imports go down the layers, and from feature to feature only as listed", () => {
  const wrong = arrows().filter(({ file, to }) => !mayUse(placeOf(file), placeOf(to)));
  expect(wrong).toEqual([]);
});

test("what is listed between features is used", () => {
  const used = new Set(arrows().map(({ file, to }) => `${String(placeOf(file).layer)} ${placeOf(file).folder} ${String(placeOf(to).layer)} ${placeOf(to).folder}`));
  const listed = [STATE_USES, VIEWS_USE].flatMap((uses, at) => Object.entries(uses).flatMap(([from, all]) => all.map((to) => `${String(2 + 2 * at)} ${from} ${String(2 + 2 * at)} ${to}`)));
  expect(listed.filter((arrow) => !used.has(arrow))).toEqual([]);
});

test("no imports go in circles, neither of files nor of features", () => {
  const features = [STATE_USES, VIEWS_USE].map((uses) => Object.entries(uses).flatMap(([file, all]) => all.map((to) => ({ file, to }))));
  // A tree is drawn by a view that draws its branches by itself.
  const files = arrows().filter(({ file, to }) => file !== to || !file.endsWith(".svelte"));
  expect([files, ...features].map(inCircles)).toEqual([[], [], []]);
});

test("a circle is found", () => {
  expect(inCircles([{ file: "a", to: "b" }, { file: "b", to: "c" }, { file: "c", to: "b" }, { file: "c", to: "d" }])).toEqual(["b", "c"]);
});

test("the editor knows nothing but CodeMirror, Yjs and the suggestion at a cursor", () => {
  const foreign = imports().filter(({ file, room, target }) => {
    const isInside = target.startsWith("./") || (/^editor\/[^/]+\//.test(file) && /^\.\.\/(?!\.)/.test(target));
    return room === "editor" && !isInside && !isGhost(target) && !/^(@codemirror\/|@lezer\/|yjs$)/.test(target);
  });
  expect(foreign).toEqual([]);
});

test("the pages of PDFs know nothing but pdf.js, and are loaded late", () => {
  const foreign = imports().filter(({ room, target }) => room === "pdf-page" && !/^(\.\/|pdfjs-dist($|\/build\/pdf\.worker))/.test(target));
  const elsewhere = imports().filter(({ room, target }) => room !== "pdf-page" && target.startsWith("pdfjs-dist"));
  const eager = arrows().filter(({ file, to }) => to.startsWith("pdf-page/") && !file.startsWith("pdf-page/") && file !== "documents/views/pdf/load-pdf-page.ts");
  const values = eager.filter(({ file }) => !/import type [^;]+from "(\.\.\/)+pdf-page"/.test(readFileSync(join(SOURCE, file), "utf8")));
  expect({ foreign, elsewhere, values }).toEqual({ foreign: [], elsewhere: [], values: [] });
});

test("the page of Word documents knows nothing but ProseMirror and the suggestion at a cursor, and is loaded late", () => {
  const foreign = imports().filter(({ room, target }) => room === "word-page" && !isGhost(target) && !/^(\.\/|prosemirror-[a-z]+$)/.test(target));
  const elsewhere = imports().filter(({ room, target }) => room !== "word-page" && target.startsWith("prosemirror-"));
  const eager = arrows().filter(({ file, to }) => to.startsWith("word-page/") && !file.startsWith("word-page/") && file !== "word/views/load-word-page.ts");
  const values = eager.filter(({ file }) => !/import type [^;]+from "(\.\.\/)+word-page"/.test(readFileSync(join(SOURCE, file), "utf8")));
  expect({ foreign, elsewhere, values }).toEqual({ foreign: [], elsewhere: [], values: [] });
});

test("the editor is imported as a whole only by the door that loads it late", () => {
  const eager = arrows().filter(({ file, to }) => to === "editor/index.ts" && file !== "documents/views/load-editor.ts");
  const values = eager.filter(({ file }) => !/import type [^;]+from "(\.\.\/)+editor"/.test(readFileSync(join(SOURCE, file), "utf8")));
  expect(values).toEqual([]);
});

test("Markdown knows nothing of the page, and is entered by its door", () => {
  const foreign = imports().filter(({ room, target }) => room === "markdown" && !/^(\.\/|marked$|dompurify$|katex$|@lezer\/highlight$)/.test(target));
  const trespassers = imports().filter(({ room, target }) => room !== "markdown" && /\/markdown\//.test(target));
  expect([...foreign, ...trespassers]).toEqual([]);
});

test("HTML becomes elements in one place: the sanitiser of Markdown", () => {
  const risky = imports().filter(({ file, target }) => target === "dompurify" && file !== "markdown/sanitise.ts");
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes(".test."));
  const raw = /\{@html|innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|document\.write|srcdoc/;
  const elsewhere = files.filter((file) => raw.test(readFileSync(join(SOURCE, file), "utf8")));
  const parsers = files.filter((file) => file !== "markdown/sanitise.ts" && file !== "architecture.test.ts" && readFileSync(join(SOURCE, file), "utf8").includes("DOMParser"));
  expect(parsers).toEqual([]);
  expect({ risky, elsewhere }).toEqual({ risky: [], elsewhere: [] });
});
