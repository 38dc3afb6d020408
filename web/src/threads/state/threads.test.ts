import { expect, test, vi } from "vitest";
import { Client, problemOf } from "../../api";
import { FakeEvents } from "../../fakes/fake-events";
import { fakeComposerSource, fakePicking } from "../../chat-library/state/fake-picking";
import { FakeServer } from "../../fakes/fake-server";
import { thread } from "../../fakes/fake-threads";
import { Chats } from "../../chat-library/state/chats.svelte";
import { RELOAD_MS, type ThreadDraft, Threads } from "./threads.svelte";

const PICKED = { files: ["b.md"], contextIds: ["x1"], skillIds: ["s1"], additionalPrompt: "Briefly." };
const ALONG = { ...PICKED, openTabs: ["a.md"], activeTab: "a.md" };

async function setUp(...items: FakeServer["threads"]["items"]) {
  const server = new FakeServer();
  server.threads.items = items;
  for (const { chatId } of items) if (chatId !== null) server.chats.add(chatId);
  const client = new Client({ fetch: server.fetch });
  const failures: string[] = [];
  const background = (work: Promise<unknown>) => { work.catch((error: unknown) => failures.push(problemOf(error).detail)); };
  const picking = fakePicking();
  const composer = { ...fakeComposerSource(), tabs: () => ({ open: ["a.md"], active: "a.md" }), along: () => PICKED };
  const chats = new Chats({ client: client.chats, projectId: "p1", background, openEvents: new FakeEvents().open, picking, composer });
  const done: string[] = [];
  const threads = new Threads({
    client: client.threads,
    projectId: "p1",
    background,
    session: (id) => chats.session(id),
    composer: (key, chatId) => chats.composerFor(key, chatId),
    stored: (path) => {
      done.push(`stored ${path}`);
      return Promise.resolve();
    },
    goTo: ({ id }) => { done.push(`shown ${id}`); },
  });
  await threads.load();
  return { server, threads, done, failures };
}

const draft = (given: Partial<ThreadDraft> = {}): ThreadDraft => ({
  kind: "thread", text: "the tide", path: "a.md", line: 3, place: null, where: () => ({ kind: "text", path: "a.md", start: 4, end: 12 }), ...given,
});

const say = async (threads: Threads, words: string) => {
  threads.composer.type(words, words.length);
  await threads.send();
};

test("the first words make the thread, at the passage as it is by then", async () => {
  const { server, threads, done } = await setUp();
  threads.begin(draft());
  expect([server.threads.heard, threads.composer.wantsFocus]).toEqual([[], 1]);
  await say(threads, "Is that so?");
  expect(done).toEqual(["stored a.md"]);
  expect(server.threads.heard).toEqual([
    { what: "POST /projects/p1/threads", body: { passage: { kind: "text", path: "a.md", start: 4, end: 12 }, text: "Is that so?", model: null, selection: null, images: [], plan: false, ...ALONG } },
  ]);
  expect([threads.open, threads.draft, threads.session?.id, threads.composer.text]).toEqual(["n1", null, "c-n1", ""]);
});

test("a comment keeps its words without a conversation", async () => {
  const { server, threads } = await setUp();
  threads.begin(draft({ kind: "comment" }));
  await say(threads, "Check this.");
  expect(server.threads.heard.map(({ body }) => body)).toEqual([{ passage: { kind: "text", path: "a.md", start: 4, end: 12 }, body: "Check this." }]);
  expect([threads.open, threads.draft, threads.list.map(({ body }) => body), threads.unsent.length]).toEqual([null, null, ["Check this."], 1]);
});

test("a passage that went before the first words were sent says so, and the words stay", async () => {
  const { server, threads } = await setUp();
  threads.begin(draft({ where: () => null }));
  await say(threads, "Is that so?");
  expect([threads.composer.problem?.detail, threads.composer.text, server.threads.heard]).toEqual(["The passage is not in the text any more.", "Is that so?", []]);
});

test("a reply is a message of the thread's chat; a comment gets a chat by its first reply", async () => {
  const { server, threads } = await setUp(thread("n1", { chatId: "c1" }), thread("n2", { body: "Check." }));
  threads.show("n1");
  await say(threads, "Why?");
  threads.show("n2");
  expect(threads.session).toBeNull();
  await say(threads, "And this?");
  expect(server.chats.heard.map(({ what }) => what)).toEqual(["POST /chats/c1/turns"]);
  expect(server.threads.heard).toEqual([{ what: "POST /projects/p1/threads/n2/messages", body: { text: "And this?", model: null, selection: null, images: [], plan: false, ...ALONG } }]);
  expect([threads.open, threads.session?.id]).toEqual(["n2", "c-n2"]);
});

test("each thread keeps its own unsent words", async () => {
  const { threads } = await setUp(thread("n1", { chatId: "c1" }), thread("n2", { chatId: "c2" }));
  threads.show("n1");
  threads.composer.type("For the first", 13);
  threads.show("n2");
  expect(threads.composer.text).toBe("");
  threads.show("n1");
  expect(threads.composer.text).toBe("For the first");
});

test("resolving goes through although an answer came meanwhile", async () => {
  const { server, threads } = await setUp(thread("n1", { body: "Check." }));
  server.threads.items = [thread("n1", { body: "Check.", version: 2 })];
  await threads.resolve("n1", true);
  expect([threads.list.map(({ status, body }) => [status, body]), threads.count]).toEqual([[["resolved", "Check."]], 0]);
});

test("a thread deleted elsewhere is not open any more", async () => {
  const { server, threads } = await setUp(thread("n1", { chatId: "c1" }));
  threads.show("n1");
  server.threads.items = [];
  threads.onChange();
  await vi.waitFor(() => { expect([threads.open, threads.session, threads.list]).toEqual([null, null, []]); });
});

test("comments of several files are sent together, after what was typed there is stored", async () => {
  const { server, threads, done } = await setUp(thread("n1"), thread("n2", { path: "b.md" }), thread("n3", { path: "c.md", author: "ai" }));
  expect(threads.unsent.map(({ id }) => id)).toEqual(["n1", "n2"]);
  await threads.sendAll(["n1", "n2"], "Please.", null);
  expect(done).toEqual(["stored a.md", "stored b.md"]);
  expect(server.threads.heard).toEqual([{ what: "POST /projects/p1/threads/send", body: { ids: ["n1", "n2"], text: "Please.", chatId: null, model: null, ...ALONG } }]);
  expect([threads.unsent, threads.list.map(({ sent }) => sent?.chatId ?? null)]).toEqual([[], ["c-sent", "c-sent", null]]);
});

test("an open text knows best where its threads are", async () => {
  const { server, threads, done } = await setUp(thread("n1", { line: 9 }), thread("n2", { line: 4 }), thread("n3", { path: "b.md" }));
  threads.onSeen("a.md", { lines: new Map([["n1", 2], ["n2", null]]), epoch: "e1", isEdited: false, holds: () => false });
  expect(threads.of("a.md").map(({ id, line, isDetached }) => [id, line, isDetached])).toEqual([["n1", 2, false], ["n2", 4, true]]);
  server.asked.length = 0;
  // The server may find the words of a lost passage elsewhere.
  await vi.waitFor(() => { expect(server.asked).toEqual(["GET /projects/p1/threads"]); });
  threads.goTo("n3");
  expect(done).toEqual(["shown n3"]);
});

test("a passage that is gone is looked for when its words stand in the text again", async () => {
  const { server, threads } = await setUp(thread("n1", { isDetached: true, text: "the tide" }));
  const told = { lines: new Map(), epoch: "e1", holds: (words: string) => words === "the tide" };
  server.asked.length = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  threads.onSeen("a.md", { ...told, isEdited: true, holds: () => false });
  threads.onSeen("a.md", { ...told, isEdited: false });
  vi.advanceTimersByTime(RELOAD_MS);
  vi.useRealTimers();
  expect(server.asked).toEqual([]);
  threads.onSeen("a.md", { ...told, isEdited: true });
  await vi.waitFor(() => { expect(server.asked).toEqual(["GET /projects/p1/threads"]); });
});
