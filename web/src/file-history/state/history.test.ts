import { expect, test } from "vitest";
import { RequestFailed, unreachable, type VersionSide } from "../../api";
import { version } from "../../fakes/fake-writing";
import { FileHistory, type FileVersion, type HistorySource } from "./history.svelte";

const commit = { commit: "c".repeat(40), author: "Ada", at: 1, subject: "begin", path: "old.md" };

function edit(id: string, at: number): FileVersion {
  return { of: "edit", ...version(id, { at }) };
}

function setUp(given: Partial<HistorySource> = {}) {
  const restored: [string, VersionSide][] = [];
  const history = new FileHistory("a.md", {
    edits: () => Promise.resolve({ items: [version("v2", { at: 9 }), version("v1", { at: 3 })], saves: [{ id: "s1", begunAt: 4, at: 5 }] }),
    commits: () => Promise.resolve([]),
    read: ({ id }) => Promise.resolve({ before: `before ${id}`, after: `after ${id}` }),
    restore: ({ id }, side) => {
      restored.push([id, side]);
      return Promise.resolve();
    },
    ...given,
  });
  return { history, restored };
}

test("edits of AI, own saves and commits stand in one order, the newest first and chosen", async () => {
  const { history } = setUp({ commits: () => Promise.resolve([commit]) });
  await history.load();
  expect(history.items?.map(({ of, id }) => [of, id])).toEqual([["edit", "v2"], ["save", "s1"], ["edit", "v1"], ["commit", commit.commit]]);
  expect([history.chosen?.id, history.texts?.after]).toEqual(["v2", "after v2"]);
  await history.choose(edit("v1", 3));
  expect(history.texts).toEqual({ before: "before v1", after: "after v1" });
});

test("a late answer about another version is not shown", async () => {
  let answer: (texts: { before: null; after: string }) => void = () => undefined;
  const slow = new Promise<{ before: null; after: string }>((done) => { answer = done; });
  const { history } = setUp({ read: ({ id }) => (id === "v1" ? slow : Promise.resolve({ before: null, after: id })) });
  const first = history.choose(edit("v1", 3));
  await history.choose(edit("v2", 9));
  answer({ before: null, after: "late" });
  await first;
  expect(history.texts?.after).toBe("v2");
});

test("a version is restored by its side, and a refusal is told", async () => {
  const { history, restored } = setUp();
  expect(await history.restore("before")).toBe(false);
  await history.load();
  expect([await history.restore("before"), restored]).toEqual([true, [["v2", "before"]]]);
  const refused = setUp({ restore: () => Promise.reject(new RequestFailed(unreachable())) }).history;
  await refused.load();
  expect([await refused.restore("after"), refused.problem?.status, refused.isBusy]).toEqual([false, 0, false]);
});
