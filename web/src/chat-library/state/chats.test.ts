import { expect, test, vi } from "vitest";
import { type Chat, Client, problemOf } from "../../api";
import { answerEntry, type Happening, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { fakeComposerSource, fakePicking } from "./fake-picking";
import { FakeServer } from "../../fakes/fake-server";
import { Chats } from "./chats.svelte";
import type { Overtaken } from "../../core/concurrent-save";

function setUp(prepare: (server: FakeServer) => void = () => undefined) {
  const server = new FakeServer();
  prepare(server);
  const events = new FakeEvents();
  const failures: string[] = [];
  const client = new Client({ fetch: server.fetch });
  const picking = fakePicking();
  const chats = new Chats({
    picking,
    client: client.chats,
    projectId: "p1",
    background: (work) => { work.catch((error: unknown) => failures.push(problemOf(error).detail)); },
    openEvents: events.open,
    composer: { ...fakeComposerSource(), along: () => picking.picked.along() },
  });
  return { chats, server, events, failures };
}

const turns = (server: FakeServer) => server.chats.heard.filter(({ what }) => what.endsWith("/turns")).map(({ what }) => what);

test("the chat that was open last is open again; one that is gone is forgotten", async () => {
  localStorage.setItem("recto.chat.p1", '"c1"');
  const here = setUp((server) => { server.chats.add("c1", [userEntry(1, "Why?")]); });
  await here.chats.start();
  expect([here.chats.current?.id, here.chats.current?.state?.entries.length]).toEqual(["c1", 1]);
  const gone = setUp();
  await gone.chats.start();
  expect([gone.chats.current, localStorage.getItem("recto.chat.p1")]).toEqual([null, "null"]);
});

test("a reload shows this tab's own chat, whatever other tabs have opened since", async () => {
  const prepare = (server: FakeServer) => { server.chats.add("c1"); server.chats.add("c2"); };
  await setUp(prepare).chats.open("c1");
  // Another tab shares only what the browser remembers.
  localStorage.setItem("recto.chat.p1", '"c2"');
  const reloaded = setUp(prepare).chats;
  await reloaded.start();
  expect(reloaded.current?.id).toBe("c1");
  reloaded.begin();
  localStorage.setItem("recto.chat.p1", '"c2"');
  const again = setUp(prepare).chats;
  await again.start();
  expect(again.current, "a chat that has not begun is a tab's own, too").toBeNull();
});

test("a chat that was made and not spoken to serves for the next attempt", async () => {
  const { chats, server } = setUp();
  server.chats.refusal = { status: 413, detail: "That is too long." };
  chats.composer.type("Hello", 5);
  await chats.send();
  expect([chats.current, chats.composer.text, chats.composer.problem?.detail]).toEqual([null, "Hello", "That is too long."]);
  server.chats.refusal = null;
  await chats.send();
  expect([chats.current?.id, chats.composer.text, server.chats.views.size, turns(server)]).toEqual(["c1", "", 1, ["POST /chats/c1/turns", "POST /chats/c1/turns"]]);
});

test("another chat ends the ear on the one before, and each has its own draft", async () => {
  const { chats, events } = setUp((server) => { server.chats.add("c1"); server.chats.add("c2"); });
  await chats.open("c1");
  const first = events.chat;
  chats.composer.type("For the first", 13);
  await chats.open("c2");
  expect([first.closed, events.chat.url, chats.composer.text]).toEqual([true, "/api/v1/chats/c2/events?after=0", ""]);
  await chats.open("c1");
  expect(chats.composer.text).toBe("For the first");
});

test("a chat deleted elsewhere gives way to a new one", async () => {
  const { chats, server } = setUp((server) => { server.chats.add("c1"); });
  await chats.open("c1");
  server.chats.views.delete("c1");
  chats.onChange("c1");
  await vi.waitFor(() => { expect(chats.current).toBeNull(); });
});

test("a new chat lies in the folder it was begun in, and the one after it in none", async () => {
  const { chats, server } = setUp();
  chats.begin("g1");
  chats.composer.type("Hello", 5);
  await chats.send();
  expect(server.chats.heard[0]).toMatchObject({ what: "POST /projects/p1/chats", body: { groupId: "g1" } });
  chats.begin();
  expect(chats.groupId).toBeNull();
});

test("a place far back is read as far as needed, and only then wanted", async () => {
  const { chats, server } = setUp((server) => { server.chats.add("c1", [userEntry(5, "Fifth")], { hasEarlier: true }); });
  server.chats.earlier = [userEntry(3, "Third"), answerEntry(4, "Fourth")];
  await chats.open("c1", { seq: 4, words: ["fourth"] });
  expect([chats.current?.wanted, chats.current?.items.length]).toEqual([{ seq: 4, words: ["fourth"] }, 3]);
  expect(server.asked.filter((line) => line.includes("entries"))).toEqual(["GET /chats/c1/entries?before=5&limit=500"]);
});

test("a pin made in another tab shows at once", async () => {
  const { chats, server, events } = setUp((server) => { server.chats.add("c1", [userEntry(1, "Keep this")]); });
  await chats.open("c1");
  const pinned = () => chats.current?.state?.entries.map((entry) => entry.kind === "user" && entry.pinned);
  server.chats.tell(events, "c1", { kind: "pin", entryIds: ["e1"], pinned: true });
  await vi.waitFor(() => { expect(pinned()).toEqual([true]); });
  server.chats.tell(events, "c1", { kind: "pin", entryIds: ["e1"], pinned: false });
  await vi.waitFor(() => { expect(pinned()).toEqual([false]); });
});

test("earlier messages are read once, and put before", async () => {
  const { chats, server } = setUp((server) => { server.chats.add("c1", [userEntry(5, "Fifth")], { hasEarlier: true }); });
  server.chats.earlier = [userEntry(3, "Third"), answerEntry(4, "Fourth")];
  await chats.open("c1");
  await Promise.all([chats.current?.readEarlier(), chats.current?.readEarlier()]);
  expect(chats.current?.state?.entries.map((entry) => entry.seq)).toEqual([3, 4, 5]);
  expect(chats.current?.state?.hasEarlier).toBe(false);
  expect(server.asked.filter((line) => line.includes("entries"))).toEqual(["GET /chats/c1/entries?before=5"]);
});

test("a rename that another one overtook is told, and made only when it is meant again", async () => {
  const { chats, server } = setUp((server) => { server.chats.add("c1"); });
  await chats.open("c1");
  server.chats.change("c1", { title: "By a model" });
  const failure: unknown = await chats.current?.change({ title: "By me" }).catch((error: unknown) => error);
  expect(problemOf(failure).detail).toBe("This chat is called “By a model” now: it was renamed elsewhere meanwhile. Yours was not saved.");
  expect(server.chats.views.get("c1")?.chat.title).toBe("By a model");
  await chats.current?.change({ title: "By me" }, (failure as Overtaken<Chat>).now);
  expect([chats.current?.state?.title, server.chats.views.get("c1")?.chat.title]).toEqual(["By me", "By me"]);
});

test("another model is chosen on top of what else changed meanwhile", async () => {
  const { chats, server } = setUp((server) => { server.chats.add("c1"); });
  await chats.open("c1");
  server.chats.change("c1", { title: "By a model" });
  await chats.current?.chooseModel("builtin/small");
  expect(server.chats.views.get("c1")?.chat).toMatchObject({ title: "By a model", model: "builtin/small" });
});

test("what is heard is folded in one go, and the totals are read after", async () => {
  const { chats, server, events } = setUp((server) => { server.chats.add("c1"); });
  await chats.open("c1");
  const happenings: Happening[] = [{ kind: "turn", turnId: "t1", state: "running", text: "", model: null }, { kind: "text", turnId: "t1", step: 1, text: "Yes" }];
  server.chats.tell(events, "c1", ...happenings);
  expect(chats.current?.running).toBeNull();
  await vi.waitFor(() => { expect([chats.current?.running?.id, chats.current?.items.length]).toEqual(["t1", 1]); });
  server.asked.length = 0;
  await vi.waitFor(() => { expect(server.asked).toContain("GET /chats/c1"); });
});

test("an export is sent as it was downloaded, and what came of it is told", async () => {
  const { chats } = setUp();
  expect(await chats.import(new Blob([Uint8Array.of(0x50, 0x4b, 3, 4, 255)]))).toBe("2 chats were imported. 1 chat was here already.");
});
