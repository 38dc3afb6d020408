import { expect, test } from "vitest";
import { type ChangedFile, RequestFailed, type GitChanges } from "../../api";
import { Changes, type ChangesSource } from "./changes.svelte";

function file(path: string, marks: Partial<ChangedFile>): ChangedFile {
  return { path, staged: null, unstaged: null, fromPath: null, isSubmodule: false, ...marks };
}

const FOUND: GitChanges = {
  repository: true, branch: "main", head: "a".repeat(40), underWay: null, stagedElsewhere: 0, truncated: false, reason: null,
  files: [file("both.md", { staged: "modified", unstaged: "modified" }), file("new.md", { unstaged: "untracked" }), file("now.md", { staged: "renamed", fromPath: "old.md" })],
};
const refused = () => new RequestFailed({ type: "about:blank", title: "Git did not do it", status: 409, detail: "Nothing is staged." });

function setUp(given: Partial<ChangesSource> = {}) {
  const asked: unknown[] = [];
  const changes = new Changes({
    read: () => Promise.resolve(FOUND),
    diff: (path) => Promise.resolve({ path, hunks: [], isBinary: false, isCut: false }),
    stage: (paths, hunks) => { asked.push(["stage", paths, hunks]); return Promise.resolve(); },
    unstage: (paths, hunks) => { asked.push(["unstage", paths, hunks]); return Promise.resolve(); },
    commit: (message) => { asked.push(["commit", message]); return Promise.resolve("b".repeat(40)); },
    changed: () => { asked.push("changed"); },
    ...given,
  });
  return { changes, asked };
}

test("a file with changes on both sides is in both lists, and a renamed one goes with both its names", async () => {
  const { changes, asked } = setUp();
  await changes.load();
  const names = (files: readonly ChangedFile[]) => files.map(({ path }) => path);
  expect([names(changes.staged), names(changes.unstaged)]).toEqual([["both.md", "now.md"], ["both.md", "new.md"]]);
  expect(await changes.move(changes.staged, false)).toBe(true);
  expect(asked).toEqual([["unstage", ["both.md", "now.md", "old.md"], null], "changed"]);
});

test("a hunk is staged, and what is left of the file shows", async () => {
  const { changes, asked } = setUp();
  await changes.load();
  const [both] = changes.unstaged;
  if (!both) throw new Error("There is a file.");
  await changes.show({ file: both, staged: false });
  await changes.moveHunk("h1");
  expect([asked[0], changes.diff?.path, changes.shown?.staged]).toEqual([["stage", ["both.md"], ["h1"]], "both.md", false]);
});

test("a commit needs a message, a branch and something staged; it empties the message", async () => {
  const { changes, asked } = setUp();
  await changes.load();
  expect(changes.canCommit).toBe(false);
  changes.message = "Say it";
  expect(changes.canCommit).toBe(true);
  expect([await changes.commit(), changes.message, asked[0]]).toEqual(["b".repeat(40), "", ["commit", "Say it"]]);
  for (const state of [{ branch: null }, { underWay: "A merge" }, { files: [] }]) {
    const other = setUp({ read: () => Promise.resolve({ ...FOUND, ...state }) }).changes;
    await other.load();
    other.message = "Say it";
    expect(other.canCommit).toBe(false);
  }
});

test("what git refuses is told, and the message stays", async () => {
  const { changes } = setUp({ commit: () => Promise.reject(refused()) });
  await changes.load();
  changes.message = "Say it";
  expect([await changes.commit(), changes.message, changes.problem?.detail, changes.isBusy]).toEqual([null, "Say it", "Nothing is staged.", false]);
});

test("the list follows the folder only while somebody looks at it", async () => {
  let reads = 0;
  const { changes } = setUp({ read: () => { reads += 1; return Promise.resolve(FOUND); } });
  await changes.onFiles();
  changes.isOpen = true;
  await changes.onFiles();
  expect(reads).toBe(1);
});
