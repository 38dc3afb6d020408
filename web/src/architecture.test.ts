import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";

const SOURCE = import.meta.dirname;

/** Which rooms a room may import from, besides its own. */
const MAY: Record<string, readonly string[]> = {
  api: [],
  editor: [],
  state: ["api"],
  views: ["api", "editor", "state"],
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

test("the editor knows nothing but CodeMirror", () => {
  const foreign = imports().filter(({ room, target }) => room === "editor" && !/^(\.\/|@codemirror\/|@lezer\/)/.test(target));
  expect(foreign).toEqual([]);
});

test("the editor is imported as a whole only by the door that loads it late", () => {
  const eager = imports().filter(({ file, target }) => target === "../editor" && file !== "views/load-editor.ts");
  const typeOnly = eager.filter(({ file }) => !/import type [^;]+from "\.\.\/editor"/.test(readFileSync(join(SOURCE, file), "utf8")));
  expect(typeOnly).toEqual([]);
});
