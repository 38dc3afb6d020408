import { expect, test } from "vitest";
import { RequestFailed, unreachable, type VersionSide } from "../../api";
import { version } from "../../fakes/fake-writing";
import { FileHistory, type HistorySource } from "./history.svelte";

function setUp(given: Partial<HistorySource> = {}) {
  const restored: [string, VersionSide][] = [];
  const history = new FileHistory("a.md", {
    list: () => Promise.resolve([version("v2"), version("v1")]),
    read: (id) => Promise.resolve({ before: `before ${id}`, after: `after ${id}` }),
    restore: (id, side) => {
      restored.push([id, side]);
      return Promise.resolve();
    },
    commits: () => Promise.resolve([]),
    committed: ({ subject }) => Promise.resolve(`text of ${subject}`),
    restoreCommitted: ({ commit }) => {
      restored.push([commit, "after"]);
      return Promise.resolve();
    },
    ...given,
  });
  return { history, restored };
}

test("the newest version is chosen, and another one can be", async () => {
  const { history } = setUp();
  await history.load();
  expect([history.items?.map(({ id }) => id), history.chosen?.id, history.texts?.after]).toEqual([["v2", "v1"], "v2", "after v2"]);
  await history.choose(version("v1"));
  expect(history.texts).toEqual({ before: "before v1", after: "after v1" });
});

test("a late answer about another version is not shown", async () => {
  let answer: (texts: { before: null; after: string }) => void = () => undefined;
  const slow = new Promise<{ before: null; after: string }>((done) => { answer = done; });
  const { history } = setUp({ read: (id) => (id === "v1" ? slow : Promise.resolve({ before: null, after: id })) });
  const first = history.choose(version("v1"));
  await history.choose(version("v2"));
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

test("a commit of the file is shown and restored; it stands first where no AI has edited", async () => {
  const commit = { commit: "c".repeat(40), author: "Ada", at: 1, subject: "begin", path: "old.md" };
  const { history, restored } = setUp({ list: () => Promise.resolve([]), commits: () => Promise.resolve([commit]) });
  await history.load();
  expect([history.chosenCommit, history.texts]).toEqual([commit, { before: null, after: "text of begin" }]);
  expect([await history.restoreCommit(), restored]).toEqual([true, [[commit.commit, "after"]]]);
  await history.choose(version("v1"));
  expect([history.chosenCommit, history.chosen?.id, await history.restoreCommit()]).toEqual([null, "v1", false]);
});
