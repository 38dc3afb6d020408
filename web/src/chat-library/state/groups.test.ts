import { expect, test, vi } from "vitest";
import { type ChatGroup, Client, problemOf } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { Groups } from "./groups.svelte";

async function setUp(prepare: (server: FakeServer) => void) {
  const server = new FakeServer();
  prepare(server);
  const groups = new Groups({ client: new Client({ fetch: server.fetch }).groups, projectId: "p1", background: (work) => { work.catch(() => undefined); } });
  await groups.load();
  const names = (parentId: string | null = null) => groups.inside(parentId).map(({ name }) => name);
  const get = (id: string) => groups.find(id) as ChatGroup;
  return { server, groups, names, get };
}

const three = (server: FakeServer) => { for (const id of ["a", "b", "c"]) server.groups.add(id); };

test("a folder moves among its siblings, and only those whose places change are named", async () => {
  const { server, groups, names } = await setUp(three);
  await groups.move("c", null, "b");
  expect([names(), server.groups.heard]).toEqual([["a", "c", "b"], [{ what: "PUT /projects/p1/chat-groups/reorder", body: { ids: ["c", "b"] } }]]);
  expect([await groups.step("a", 1), names()]).toEqual([true, ["c", "a", "b"]]);
  expect([await groups.step("b", 1), names()]).toEqual([false, ["c", "a", "b"]]);
});

test("quick steps do not overtake each other", async () => {
  const { groups, names } = await setUp(three);
  await Promise.all([groups.step("c", -1), groups.step("c", -1)]);
  expect(names()).toEqual(["c", "a", "b"]);
});

test("a folder goes into another, to its place there", async () => {
  const { groups, names } = await setUp((server) => { three(server); server.groups.add("x", { parentId: "a" }); server.groups.add("y", { parentId: "a" }); });
  await groups.move("c", "a", "y");
  expect([names(), names("a")]).toEqual([["a", "b"], ["x", "c", "y"]]);
});

test("no folder goes into itself, nor deeper than folders may lie", async () => {
  const chain = (server: FakeServer) => { for (const [index, id] of ["a", "b", "c", "d", "e", "f"].entries()) server.groups.add(id, { parentId: "abcdef"[index - 1] ?? null }); server.groups.add("z"); };
  const { server, groups } = await setUp(chain);
  expect([groups.canLieIn("a", "c"), groups.canLieIn("z", "e"), groups.canLieIn("z", "f"), groups.canLieIn("a", "z"), groups.canLieIn("b", "z")]).toEqual([false, true, false, false, true]);
  await groups.move("a", "c", null);
  expect(server.groups.heard).toEqual([]);
});

test("a rename is made on top of a new order, and gives way to another rename", async () => {
  const { server, groups, get } = await setUp(three);
  const seen = get("a");
  server.groups.change("a", { position: 9 });
  await groups.change(seen, { name: "Tides" });
  expect(server.groups.items[0]).toMatchObject({ name: "Tides", position: 9 });
  server.groups.change("a", { name: "Storms" });
  const failure: unknown = await groups.change(get("a"), { name: "Surges" }).catch((error: unknown) => error);
  expect(problemOf(failure).detail).toBe("This folder is called “Storms” now: it was renamed elsewhere meanwhile. Yours was not saved.");
  expect([server.groups.items[0]?.name, get("a").name]).toEqual(["Storms", "Storms"]);
});

test("an order with a folder that is gone is refused, and the list is read again", async () => {
  const { server, groups, names } = await setUp(three);
  server.groups.items = server.groups.items.filter(({ id }) => id !== "b");
  await expect(groups.step("a", 1)).rejects.toThrow("One of these folders is not there any more.");
  await vi.waitFor(() => { expect(names()).toEqual(["a", "c"]); });
});

test("what is folded stays folded in the next visit", async () => {
  const { groups } = await setUp(three);
  groups.setOpen("b", false);
  const again = await setUp(three);
  expect(["a", "b"].map((id) => again.groups.isOpen(id))).toEqual([true, false]);
});

test("a folder says what its chats begin with; what it leaves open, the project says", async () => {
  const { groups } = await setUp((server) => { server.groups.add("a", { defaultContextIds: ["x1"] }); });
  const project = { defaultContextIds: ["x2"], defaultSkillIds: ["s1"] };
  expect(groups.defaultsIn("a", project)).toEqual({ contextIds: ["x1"], skillIds: ["s1"] });
  expect(groups.defaultsIn(null, project)).toEqual({ contextIds: ["x2"], skillIds: ["s1"] });
});
