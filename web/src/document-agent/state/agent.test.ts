import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, type Project } from "../../api";
import { answerEntry, type Happening } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer, project } from "../../fakes/fake-server";
import { fakeComposerSource } from "../../chat-library/state/fake-picking";
import { Models } from "../../models/state/models.svelte";
import { Workspace } from "../../app/workspace.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const SELECTED = { path: "a.md", start: 4, end: 9 };
const IMPROVE = { id: "improve", title: "Improve", argument: null };
const TRANSLATE = { id: "translate", title: "Translate", argument: "Language" };
const settle = () => vi.advanceTimersByTimeAsync(1000);

async function opened(prepare: (server: FakeServer) => void = () => undefined) {
  const server = new FakeServer({ "a.md": "One two three." });
  prepare(server);
  const events = new FakeEvents();
  const home: Project = project("p1", "tide-gauges");
  const failures: unknown[] = [];
  const client = new Client({ fetch: server.fetch });
  const workspace = new Workspace(client, home, {
    background: (work) => { work.catch((error: unknown) => failures.push(error)); },
    drafts: fakeComposerSource().drafts,
    slashCommands: () => [],
    goToThread: () => undefined,
    picksReplaced: () => undefined,
    settings: () => home.settings,
    models: new Models(client),
    openEvents: events.open,
  });
  workspace.start();
  await settle();
  const tell = async (id: string, ...happenings: Happening[]) => {
    server.chats.tell(events, id, ...happenings);
    await settle();
  };
  return { server, workspace, agent: workspace.agent, tell, failures };
}

const said = (server: FakeServer) => server.chats.heard.filter(({ what }) => what.endsWith("/turns")).map(({ body }) => body);
const turn = (state: "running" | "queued" | "finished", id = "t1"): Happening => ({ kind: "turn", turnId: id, state, text: "", model: null });

test("the field takes the focus whenever it is asked for, also while it is open", async () => {
  const { agent } = await opened();
  agent.openField();
  expect(agent.wantsFocus).toBe(true);
  agent.wantsFocus = false;
  agent.openField();
  expect([agent.isAsking, agent.wantsFocus]).toEqual([true, true]);
});

test("a wish in words begins a chat about the document, with what is selected", async () => {
  const { server, workspace, agent, tell } = await opened();
  agent.openField();
  agent.text = " Fix all the typos. ";
  await agent.send("a.md", () => SELECTED);
  expect(said(server)).toEqual([{
    text: "Fix all the typos.", files: [], contextIds: [], skillIds: [], additionalPrompt: "", selection: null, images: [], model: null, plan: false, openTabs: [], activeTab: null,
    profile: "document", document: { path: "a.md", selection: { start: 4, end: 9 }, passage: null },
  }]);
  expect([agent.isAsking, agent.text, agent.job, workspace.chats.current?.id]).toEqual([false, "", { path: "a.md", chatId: "c1", turnId: "t1" }, "c1"]);
  await tell("c1", turn("running"), { kind: "entry", entry: answerEntry(1, "There are none.") }, turn("finished"));
  expect(agent.status).toEqual({ phase: "done", words: "There are none.", step: "" });
});

test("a ready request goes without words, and one that wants a word asks for it", async () => {
  const { server, agent } = await opened();
  await agent.ask("a.md", { transform: IMPROVE, argument: null }, () => SELECTED);
  agent.openField(TRANSLATE);
  agent.text = "German";
  await agent.send("a.md", () => SELECTED);
  expect(said(server)).toMatchObject([{ text: "", transform: { id: "improve", argument: null } }, { text: "", transform: { id: "translate", argument: "German" } }]);
});

test("a selection of another file goes nowhere", async () => {
  const { server, agent } = await opened();
  await agent.ask("a.md", { text: "Shorter." }, () => ({ ...SELECTED, path: "b.md" }));
  expect(said(server)).toMatchObject([{ document: { path: "a.md", selection: null, passage: null } }]);
});

test("what was refused stays in the field, with the reason", async () => {
  const { server, agent } = await opened();
  server.chats.refusal = { status: 409, detail: "The limit is reached." };
  agent.openField();
  agent.text = "Shorter.";
  await agent.send("a.md", () => null);
  expect([agent.isAsking, agent.text, agent.asked, agent.problem?.detail, agent.job]).toEqual([true, "Shorter.", "a.md", "The limit is reached.", null]);
});

test("one that waits is taken back, one that runs is stopped", async () => {
  const { server, workspace, agent, tell } = await opened((fake) => { fake.chats.add("c1"); });
  await workspace.chats.open("c1");
  await agent.ask("a.md", { text: "Shorter." }, () => null);
  await tell("c1", turn("queued"));
  await agent.stop();
  expect([server.chats.heard.at(-1)?.what, agent.job]).toEqual(["DELETE /turns/t1", null]);
  await agent.ask("a.md", { text: "Longer." }, () => null);
  await tell("c1", turn("running", "t2"));
  await agent.stop();
  expect(server.chats.heard.at(-1)?.what).toBe("POST /turns/t2/cancel");
});

test("it is followed when another chat is shown", async () => {
  const { server, workspace, agent, tell } = await opened((fake) => { fake.chats.add("c1"); });
  await workspace.chats.open("c1");
  await agent.ask("a.md", { text: "Shorter." }, () => null);
  workspace.chats.begin();
  agent.follow();
  await settle();
  await tell("c1", turn("running"), { kind: "step", turnId: "t1", step: 3, limit: 8, model: "m", modelName: "M" });
  expect(agent.status).toEqual({ phase: "working", words: "Writing…", step: "3/8" });
  agent.forget();
  expect([agent.status, server.chats.views.has("c1")]).toEqual([null, true]);
});

test("after a reload the job is found again in the open chat", async () => {
  const { workspace, agent } = await opened((fake) => {
    fake.chats.add("c1", [], { turns: [{ id: "t7", state: "running", text: "", model: null, startedAt: 0, profile: "document", document: "a.md", limit: 8 }] });
  });
  await workspace.chats.open("c1");
  agent.follow();
  expect(agent.job).toEqual({ path: "a.md", chatId: "c1", turnId: "t7" });
});

test("one that is taken back elsewhere is forgotten, and not found again", async () => {
  const { workspace, agent, tell } = await opened((fake) => { fake.chats.add("c1"); });
  await workspace.chats.open("c1");
  await agent.ask("a.md", { text: "Shorter." }, () => null);
  await tell("c1", turn("queued"));
  agent.follow();
  expect(agent.status?.phase).toBe("waiting");
  await tell("c1", { kind: "turn", turnId: "t1", state: "removed", text: "", model: null });
  agent.follow();
  agent.follow();
  expect([agent.job, agent.status]).toEqual([null, null]);
});

test("an answer about a comment is kept for it, and asked for once", async () => {
  const { agent, tell } = await opened();
  await agent.ask("a.md", { text: "What do we answer?" }, () => null, "4");
  expect(agent.keepAnswer()).toBe(false);
  await tell("c1", turn("running"), { kind: "entry", entry: answerEntry(1, "2014 has five **named** storms. More is in the table.") }, turn("finished"));
  expect(agent.keepAnswer()).toBe(true);
  agent.forget();
  expect(agent.keepAnswer()).toBe(false);
  const [kept] = agent.answers;
  expect(kept).toEqual({ path: "a.md", comment: "4", chatId: "c1", text: "2014 has five **named** storms. More is in the table." });
  if (kept) agent.dropAnswer(kept);
  expect(agent.answers).toEqual([]);
});
