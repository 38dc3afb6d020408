import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = import.meta.dirname;
/** A neighbour of any kind, or whatever stands at a number: no tag, class or attribute says which one is meant. */
const ANY_ELEMENT = /[+~]\s*[*:]|(?:^|[\s>+~,(])\*?:nth-/;

test("no rule is about an element of any kind by its place: each one that comes in between would have all around it looked at again", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));
  expect(files.length).toBeGreaterThan(10);
  const found = files.flatMap((file) =>
    readFileSync(join(FOLDER, file), "utf8")
      .replaceAll(/\/\*[^]*?\*\//g, "")
      .split("\n")
      .map((line) => line.split("{", 1)[0] ?? "")
      .filter((selector) => !selector.includes(";") && ANY_ELEMENT.test(selector))
      .map((selector) => `${file}: ${selector.trim()}`),
  );
  expect(found).toEqual([]);
});
