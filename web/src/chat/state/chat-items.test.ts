import { expect, test } from "vitest";
import type { CallResult, ChatEntry } from "../../api";
import { answerEntry, userEntry } from "../../fakes/fake-chats";
import { type AnswerItem, gather, type Item, itemsOf, liveItem, NOTHING, textOf } from "./chat-items";
import type { ChatState } from "./chat-reducer";

const call = (id: string) => ({ type: "call" as const, id, name: "read_file", arguments: { path: "a.md" } });
const result = (callId: string, given: Partial<CallResult> = {}): CallResult => ({ callId, name: "read_file", text: "told", images: [], fact: "3 lines", state: "done", seconds: 1, changed: [], ...given });
const results = (seq: number, ...all: CallResult[]): ChatEntry => ({ kind: "tool_results", id: `e${String(seq)}`, seq, createdAt: 0, turnId: "t1", step: 1, results: all });

function state(given: Partial<ChatState>): ChatState {
  return { title: "", model: null, entries: [], hasEarlier: false, turns: [{ id: "t1", state: "running", text: "", model: null, document: null, limit: null }], live: null, calls: {}, approvals: [], elicitations: [], lastEvent: 0, ...given };
}

function answer(items: readonly unknown[]): AnswerItem {
  return items.at(-1) as AnswerItem;
}

/** What is shown: the history, and what goes on in the place of its last answer or after it. */
function withLive(items: readonly Item[], chat: ChatState): readonly Item[] {
  const now = liveItem(items, chat);
  if (!now) return items;
  return items.at(-1)?.key === now.key ? items.with(-1, now) : [...items, now];
}

test("messages in which nothing has changed stay the same objects when more is said, and a change in the middle is seen", () => {
  const entries = [userEntry(1, "Why?"), answerEntry(2, "So."), userEntry(3, "And?", { turnId: "t2" })];
  const before = gather(entries, NOTHING);
  const grown = gather([...entries, answerEntry(4, "Then.", { turnId: "t2" })], before);
  expect(grown.items.slice(0, 3).every((item, place) => item === before.items[place])).toBe(true);
  expect([...grown.ends]).toEqual([["t1", "answer:t1:1"], ["t2", "answer:t2:1"]]);
  const pinned = gather([userEntry(1, "Why?", { pinned: true }), ...grown.entries.slice(1)], grown);
  expect([pinned.items.length, pinned.items[0]]).toMatchObject([4, { entry: { pinned: true } }]);
});

test("the steps of a turn are one answer, with each call beside its result", () => {
  const items = itemsOf([userEntry(1, "Why?"), answerEntry(2, "", { blocks: [call("a"), call("b")] }), results(3, result("a"), result("b", { state: "error", fact: "exit 1" })), answerEntry(4, "So.", { step: 2 })]);
  expect(items.map((item) => item.key)).toEqual(["e1", "answer:t1:1"]);
  const { parts, lastEntryId } = answer(items);
  expect(parts.map((part) => (part.kind === "call" ? [part.call.id, part.call.state, part.call.fact] : part.kind))).toEqual([["a", "done", "3 lines"], ["b", "error", "exit 1"], "text"]);
  expect([textOf(answer(items)), lastEntryId]).toEqual(["So.", "e4"]);
});

test("an answer being written keeps its key when it becomes an entry", () => {
  const live = { turnId: "t1", step: 1, modelName: "M", blocks: [{ type: "text" as const, text: "Half" }], reading: null };
  const before = answer(withLive(itemsOf([userEntry(1, "Why?")]), state({ live })));
  const after = answer(itemsOf([userEntry(1, "Why?"), answerEntry(2, "Half and whole.")]));
  expect([before.key, before.parts.map((part) => part.key)]).toEqual([after.key, after.parts.map((part) => part.key)]);
});

test("a turn that asks before its first step has an answer to ask in, which its first step goes on with", () => {
  const asked = { seq: 1, kind: "approval" as const, approvalId: "a1", turnId: "t1", callId: "follow_instructions:AGENTS.md", name: "follow_instructions", arguments: {}, why: "", rule: null, isUnsandboxed: false };
  const said = itemsOf([userEntry(1, "Why?")]);
  const asking = answer(withLive(said, state({ approvals: [asked] })));
  const going = answer(withLive(said, state({ live: { turnId: "t1", step: 1, modelName: "M", blocks: [], reading: null } })));
  expect([asking.kind, asking.isLive, asking.key]).toEqual(["answer", true, going.key]);
  expect(withLive(said, state({ approvals: [{ ...asked, turnId: "t0" }] }))).toBe(said);
});

test("a running call shows what it prints, one that waits shows nothing yet", () => {
  const items = withLive(itemsOf([answerEntry(1, "", { blocks: [call("a"), call("b")] })]), state({ calls: { a: { name: "read_file", arguments: {}, output: "line", result: null } } }));
  expect(answer(items).parts.map((part) => (part.kind === "call" ? [part.call.state, part.call.output] : null))).toEqual([["running", "line"], ["waiting", ""]]);
});

test("a continued turn that counts its steps anew still has keys of its own", () => {
  const notice: ChatEntry = { kind: "notice", id: "e2", seq: 2, createdAt: 0, turnId: "t1", reason: "cancelled", words: "", canContinue: true, entries: [] };
  const keys = itemsOf([answerEntry(1, "Half"), notice, answerEntry(3, "Again")]).map((item) => item.key);
  expect(new Set(keys).size).toBe(3);
});

test("nothing goes on in a chat without a running turn", () => {
  const items = itemsOf([answerEntry(1, "So.")]);
  expect(withLive(items, state({ turns: [] }))).toBe(items);
});
