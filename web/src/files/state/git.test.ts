import { expect, test } from "vitest";
import { foldersAbove, GitMarks } from "./git.svelte";

test("a changed file has a letter and a word, and the folders above it know", async () => {
  const git = new GitMarks(() => Promise.resolve({ repository: true, branch: "main", files: { "a/b/x.md": "untracked", "y.md": "modified" }, truncated: false, reason: null }));
  await git.load();
  expect(git.branch).toBe("main");
  expect(git.mark("a/b/x.md")).toEqual({ letter: "A", word: "new, not tracked by git", tone: "added" });
  expect(git.mark("z.md")).toBeNull();
  expect([git.hasChangesInside("a"), git.hasChangesInside("a/b"), git.hasChangesInside("c")]).toEqual([true, true, false]);
});

test("each folder above is found once", () => {
  expect([...foldersAbove(["a/b/c.md", "a/b/d.md", "e.md", "a/f.md"])]).toEqual(["a/b", "a"]);
});
