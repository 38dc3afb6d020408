import { expect, test, vi } from "vitest";
import { type Chat, Client, problemOf } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { ChatList } from "./chat-list.svelte";

function setUp(...ids: string[]) {
  const server = new FakeServer();
  for (const [index, id] of ids.entries()) server.chats.add(id).chat.lastActiveAt = 100 - index;
  const held: (() => void)[] = [];
  let holds = false;
  const hold: typeof fetch = async (input, init) => {
    if (holds) await new Promise<void>((release) => held.push(release));
    return server.fetch(input, init);
  };
  const gone: string[] = [];
  const list = new ChatList({ client: new Client({ fetch: hold }).chats, projectId: "p1", background: (work) => { work.catch(() => undefined); }, onGone: (id) => gone.push(id), onRows: () => undefined });
  const titles = () => list.rows?.map((chat) => chat.title || chat.id);
  return { server, list, gone, titles, hold: () => { holds = true; }, release: () => { holds = false; for (const free of held.splice(0)) free(); } };
}

const reads = (server: FakeServer) => server.asked.filter((line) => line.startsWith("GET /projects/p1/chats"));

test("a change is read at once, without any pause; what changes during the read is read together after it", async () => {
  const { server, list, titles, hold, release } = setUp("c1", "c2", "c3");
  await list.load();
  hold();
  server.chats.change("c1", { title: "One" });
  list.onChange("c1", false);
  server.chats.change("c2", { title: "Two" });
  list.onChange("c2", false);
  server.chats.change("c3", { title: "Three" });
  list.onChange("c3", false);
  list.onChange("c2", false);
  release();
  await vi.waitFor(() => { expect(titles()).toEqual(["One", "Two", "Three"]); });
  expect(reads(server).slice(1)).toEqual(["GET /projects/p1/chats?id=c1", "GET /projects/p1/chats?id=c2&id=c3"]);
});

test("chats stand in the order of their activity, and those that leave the project leave the list", async () => {
  const { server, list, gone, titles } = setUp("c1", "c2", "c3");
  await list.load();
  server.chats.change("c3", { lastActiveAt: 500 });
  list.onChange("c3", true);
  server.chats.change("c1", { projectId: "p2" });
  list.onChange("c1", false);
  await vi.waitFor(() => { expect([titles(), gone]).toEqual([["c3", "c2"], ["c1"]]); });
});

test("what is said in chats that do not show is of no interest", async () => {
  const { server, list } = setUp("c1");
  await list.load();
  list.onChange("somewhere-else", true);
  expect(reads(server)).toHaveLength(1);
});

test("a page read before a save came back does not take the save away", async () => {
  const { list, titles } = setUp("c1");
  await list.load();
  const seen = list.find("c1") as Chat;
  const loading = list.load();
  list.put({ ...seen, title: "Saved", version: seen.version + 1 });
  await loading;
  expect(titles()).toEqual(["Saved"]);
});

test("a move is made on top of a rename that came first; another move is told", async () => {
  const { server, list } = setUp("c1");
  await list.load();
  const seen = list.find("c1") as Chat;
  server.chats.change("c1", { title: "Renamed" });
  await list.change(seen, { groupId: "g1" });
  expect(server.chats.views.get("c1")?.chat).toMatchObject({ title: "Renamed", groupId: "g1" });
  server.chats.change("c1", { groupId: "g2" });
  const failure: unknown = await list.change(list.find("c1") as Chat, { groupId: null }).catch((error: unknown) => error);
  expect(problemOf(failure).detail).toBe("This chat was moved elsewhere meanwhile. Yours was not saved.");
  expect([server.chats.views.get("c1")?.chat.groupId, list.find("c1")?.groupId]).toEqual(["g2", "g2"]);
});

test("a server that does not answer is told, and the next read mends it", async () => {
  const { server, list, titles } = setUp("c1");
  server.reachable = false;
  await list.load();
  expect([list.rows, list.problem?.status]).toEqual([null, 0]);
  server.reachable = true;
  await list.load();
  expect([titles(), list.problem]).toEqual([["c1"], null]);
});
