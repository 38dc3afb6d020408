import { expect, test } from "vitest";
import type { ChatGroup } from "../../api";
import { chat } from "../../fakes/fake-chats";
import { dropOn, type Row, rowsOf, type RowSource } from "./chat-rows";

function folder(id: string, parentId: string | null = null): ChatGroup {
  return { id, projectId: "p1", name: id, color: "#3b82f6", parentId, position: 0, defaultContextIds: [], defaultSkillIds: [], createdAt: 0, version: 1 };
}

function rows(given: Partial<RowSource>): Row[] {
  return rowsOf({ groups: [], chats: [], isOpen: () => true, most: () => 50, ...given });
}

const outline = (all: readonly Row[]) => all.map((row) => `${"  ".repeat(row.depth)}${row.key}`);

const groups = [folder("methods"), folder("tides", "methods"), folder("empty")];
const chats = [chat("c1", { groupId: "tides", isRunning: true }), chat("c2", { groupId: "methods" }), chat("c3"), chat("c4", { groupId: "deleted" })];

test("folders come first, then the chats of a folder; what lies in a folder that is gone lies in none", () => {
  expect(outline(rows({ groups, chats }))).toEqual([
    "group:methods", "  group:tides", "    chat:c1", "  chat:c2", "group:empty", "  empty:empty", "chat:c3", "chat:c4",
  ]);
});

test("a folded folder still tells how many chats lie in it, and that something runs there", () => {
  const [first, ...rest] = rows({ groups, chats, isOpen: (id) => id !== "methods" });
  expect(first).toMatchObject({ kind: "group", count: 2, isRunning: true, isOpen: false, place: 1, siblings: 4 });
  expect(outline(rest)).toEqual(["group:empty", "  empty:empty", "chat:c3", "chat:c4"]);
});

test("a long folder shows its first chats, and how many more there are", () => {
  expect(rows({ chats: [chat("c1"), chat("c2"), chat("c3")], most: () => 1 }).at(-1)).toEqual({ kind: "more", key: "more:", depth: 0, groupId: null, hidden: 2 });
});

const all = rows({ groups, chats, isOpen: (id) => id !== "empty" });
const row = (key: string) => all.find((one) => one.key === key) ?? null;
const aChat = { kind: "chat", id: "c3" } as const;
const aFolder = { kind: "group", id: "empty" } as const;

test("a chat goes into the folder it is dropped on, or beside the chat it is dropped on", () => {
  expect(dropOn(aChat, row("group:tides"), 0.1, all)).toMatchObject({ parentId: "tides", mark: { key: "group:tides", edge: "into" } });
  expect(dropOn(aChat, row("chat:c2"), 0.5, all)).toMatchObject({ parentId: "methods", mark: { key: "group:methods", edge: "into" } });
  expect(dropOn(aChat, row("chat:c4"), 0.5, all)).toEqual({ parentId: null, beforeId: null, mark: null });
  expect(dropOn(aChat, null, 0, all)).toEqual({ parentId: null, beforeId: null, mark: null });
});

test("a folder goes before, into or after another, by where it is let go; below an open one, into it", () => {
  expect(dropOn(aFolder, row("group:tides"), 0.1, all)).toEqual({ parentId: "methods", beforeId: "tides", mark: { key: "group:tides", edge: "before" } });
  expect(dropOn(aFolder, row("group:tides"), 0.5, all)).toMatchObject({ parentId: "tides", mark: { edge: "into" } });
  expect(dropOn(aFolder, row("group:methods"), 0.9, all)).toMatchObject({ parentId: "methods", mark: { edge: "into" } });
  expect(dropOn({ kind: "group", id: "methods" }, row("group:empty"), 0.9, all)).toEqual({ parentId: null, beforeId: null, mark: { key: "group:empty", edge: "after" } });
  expect(dropOn(aFolder, row("group:empty"), 0.5, all)).toBeNull();
});
