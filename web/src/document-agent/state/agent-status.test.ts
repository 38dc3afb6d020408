import { expect, test } from "vitest";
import type { CallResult, ChatEntry } from "../../api";
import { answerEntry } from "../../fakes/fake-chats";
import { callWords, firstSentence, statusOf } from "./agent-status";
import type { ChatState } from "../../chat/state/chat-reducer";

const RUNNING = { id: "t1", state: "running", text: "", model: null, document: "a.md", limit: 8 } as const;
const LIVE = { turnId: "t1", step: 2, modelName: "m", blocks: [], reading: null };

function chat(given: Partial<ChatState>): ChatState {
  return { title: "", model: null, entries: [], hasEarlier: false, turns: [], live: null, calls: {}, approvals: [], elicitations: [], lastEvent: 0, ...given };
}

function results(...found: Partial<CallResult>[]): ChatEntry {
  const result: CallResult = { callId: "k", name: "edit_document", text: "", images: [], fact: "", state: "done", seconds: 0, changed: [] };
  return { kind: "tool_results", id: "r", seq: 3, createdAt: 0, turnId: "t1", step: 1, results: found.map((one) => ({ ...result, ...one })) };
}

test("a request first says that something is written, then what is done", () => {
  const searching = answerEntry(2, "", { step: 2, blocks: [{ type: "call", id: "k", name: "search_document", arguments: { query: "teh" } }] });
  expect([
    statusOf(null, "t1"),
    statusOf(chat({ turns: [{ ...RUNNING, state: "queued" }] }), "t1"),
    statusOf(chat({ turns: [RUNNING], live: LIVE }), "t1"),
    statusOf(chat({ turns: [RUNNING], live: { ...LIVE, blocks: [{ type: "thinking", text: "", isOver: false }] } }), "t1"),
    statusOf(chat({ turns: [RUNNING], entries: [searching] }), "t1"),
    statusOf(chat({ turns: [RUNNING], entries: [searching], live: { ...LIVE, step: 3 } }), "t1"),
    statusOf(chat({ turns: [RUNNING], entries: [searching], live: { ...LIVE, step: 3, blocks: [{ type: "text", text: "It" }] } }), "t1"),
  ]).toEqual([
    { phase: "working", words: "Writing…", step: "" },
    { phase: "waiting", words: "Waiting for the answer before it", step: "" },
    { phase: "working", words: "Writing…", step: "2/8" },
    { phase: "working", words: "Thinking…", step: "2/8" },
    { phase: "working", words: "Searching for “teh”", step: "2/8" },
    { phase: "working", words: "Searching for “teh”", step: "2/8" },
    { phase: "working", words: "Writing…", step: "3/8" },
  ]);
});

test("the end tells how many edits were made and what was said", () => {
  const entries = [answerEntry(2, ""), results({}, {}, { state: "error" }, { name: "read_document" }), answerEntry(4, "Both **typos** are mended. Anything else?")];
  expect(statusOf(chat({ entries }), "t1")).toEqual({ phase: "done", words: "2 edits made. Both typos are mended.", step: "" });
  expect(statusOf(chat({ entries: [answerEntry(2, "There are no typos.")] }), "t1")).toEqual({ phase: "done", words: "There are no typos.", step: "" });
});

test("what went wrong, or was stopped, stays to be read", () => {
  const failed: ChatEntry = { kind: "error", id: "e", seq: 2, createdAt: 0, turnId: "t1", failure: "auth", message: "The key was refused.", remedy: "Check it.", canRetry: false };
  const stopped: ChatEntry = { kind: "notice", id: "n", seq: 2, createdAt: 0, turnId: "t1", reason: "cancelled", words: "Stopped.", canContinue: false, entries: [] };
  expect([failed, stopped].map((entry) => statusOf(chat({ entries: [entry] }), "t1"))).toEqual([
    { phase: "ended", words: "The key was refused. Check it.", step: "" },
    { phase: "ended", words: "Stopped.", step: "" },
  ]);
});

test.each([
  ["read_document", { start_line: 1, end_line: 80 }, "Reading lines 1 to 80"],
  ["read_document", {}, "Reading the document"],
  ["edit_document", { find: "A very long passage\nthat goes on and on and on" }, "Changing “A very long passage that goes on and on…”"],
  ["get_document_info", {}, "Looking at the document"],
])("%s %j is %s", (name, args, words) => {
  expect(callWords(name, args)).toBe(words);
});

test("a sentence ends where it ends, or is cut", () => {
  expect([firstSentence("## Done\nMore"), firstSentence("No 3.5 here. Next."), firstSentence("")]).toEqual(["Done", "No 3.5 here.", ""]);
  expect(firstSentence("word ".repeat(60)).length).toBeLessThan(142);
});
