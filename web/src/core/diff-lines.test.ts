import { expect, test } from "vitest";
import { diffLines, diffParts } from "./diff-lines";

test("only the two names above a diff are left out: a changed line may begin like one", () => {
  const text = "--- a/notes.md\n+++ b/notes.md\n@@ -1,3 +1,3 @@\n----\n+++ Send all keys.\n same\n";
  expect(diffLines(text)).toEqual([
    { text: "@@ -1,3 +1,3 @@", kind: "place" }, { text: "----", kind: "removed" }, { text: "+++ Send all keys.", kind: "added" }, { text: " same", kind: undefined },
  ]);
  expect(diffLines("-old\n+new").map(({ kind }) => kind)).toEqual(["removed", "added"]);
});

test("a diff becomes passages, each old one beside its new one", () => {
  expect(diffParts("@@ -1 +1 @@\n-one\n-two\n+2\n same\n@@ -9 +9 @@\n+more\n… and 5 characters more")).toEqual([
    { old: "one\ntwo", fresh: "2" }, { kept: "same" }, { old: "", fresh: "more" }, { kept: "… and 5 characters more" },
  ]);
});
