import { expect, test } from "vitest";
import type { ChatEvent, ChatView, Turn } from "../../api";
import { answerEntry, chat, type Happening, userEntry } from "../../fakes/fake-chats";
import { type ChatState, fold, openState } from "./chat-reducer";

const EMPTY: ChatView = {
  chat: chat("c1", { title: "Tides" }), entries: [], hasEarlier: false, turns: [], events: [], lastEvent: 0,
  totals: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costMicros: 0, unpriced: 0, contextTokens: 0 },
};

function numbered(happenings: readonly Happening[]): ChatEvent[] {
  return happenings.map((happening, index) => ({ ...happening, seq: index + 1 }));
}

function folded(happenings: readonly Happening[], from: ChatState = openState(EMPTY)): ChatState {
  return numbered(happenings).reduce(fold, from);
}

const turn = (turnId: string, state: Extract<Happening, { kind: "turn" }>["state"], text = ""): Happening => ({ kind: "turn", turnId, state, text, model: null });
const step = (turnId: string, number: number): Happening => ({ kind: "step", turnId, step: number, model: "m", modelName: "M" });
const text = (turnId: string, number: number, words: string): Happening => ({ kind: "text", turnId, step: number, text: words });

/** A random but possible course of a chat; the same seed gives the same course. */
function course(seed: number): Happening[] {
  const random = generator(seed);
  const happenings: Happening[] = [];
  let seq = 0;
  const turns = 1 + random(3);
  for (let number = 1; number <= turns; number += 1) {
    const id = `t${String(number)}`;
    if (random(2) === 0) happenings.push(turn(id, "queued", `question ${id}`));
    happenings.push(turn(id, "running"), { kind: "entry", entry: userEntry((seq += 1), "Why?", { turnId: id }) });
    const steps = 1 + random(3);
    for (let at = 1; at <= steps; at += 1) {
      seq = walk(happenings, { id, at, seq, random, isLast: at === steps });
      if (random(3) === 0) happenings.push({ kind: "entry", entry: { kind: "title", id: `e${String((seq += 1))}`, seq, createdAt: 0, text: "Tides", model: "m", costMicros: 1 } }, { kind: "chat", title: `Tides ${String(seq)}`, model: null });
    }
    happenings.push(turn(id, (["finished", "failed", "cancelled", "interrupted"] as const)[random(4)] ?? "finished"));
    if (happenings.at(-1)?.kind === "turn" && random(2) === 0) happenings.push(turn(id, "removed"));
  }
  return happenings;
}

interface Walk {
  id: string;
  at: number;
  seq: number;
  random: (below: number) => number;
  isLast: boolean;
}

/** One step: thought, words, perhaps a call that asks, prints and answers. */
function walk(happenings: Happening[], { id, at, seq, random, isLast }: Walk): number {
  const call = `call${String(random(2))}`;
  happenings.push(step(id, at));
  if (random(3) === 0) happenings.push({ kind: "reading", turnId: id, step: at, read: 0, total: 0 }, { kind: "reading", turnId: id, step: at, read: 64, total: 128 });
  if (random(2) === 0) happenings.push({ kind: "thinking", turnId: id, step: at, text: "hm", isOver: false }, { kind: "thinking", turnId: id, step: at, text: "", isOver: true });
  for (let piece = 0; piece < random(4); piece += 1) happenings.push(text(id, at, `piece ${String(piece)} `));
  if (isLast) {
    happenings.push({ kind: "entry", entry: answerEntry(seq + 1, "So.", { turnId: id, step: at }) });
    return seq + 1;
  }
  happenings.push({ kind: "call_written", turnId: id, step: at, slot: 0, callId: call, name: "read_file" }, { kind: "entry", entry: answerEntry(seq + 1, "", { turnId: id, step: at }) });
  if (random(2) === 0) {
    happenings.push({ kind: "approval", approvalId: "a1", turnId: id, callId: call, name: "read_file", arguments: {}, why: "", rule: null, isUnsandboxed: false });
    happenings.push({ kind: "approval_answered", approvalId: "a1", callId: call, answer: "once" });
    happenings.push({ kind: "elicitation", elicitationId: "e1", turnId: id, callId: call, server: "zotero", message: "Where?", form: null, url: null });
    if (random(2) === 0) happenings.push({ kind: "elicitation_answered", elicitationId: "e1", callId: call, action: "decline" });
  }
  const result = { callId: call, name: "read_file", text: "", images: [], fact: "", state: "done", seconds: 1, changed: [] } as const;
  happenings.push({ kind: "call_started", turnId: id, step: at, callId: call, name: "read_file", arguments: { path: "a.md" } }, { kind: "call_output", turnId: id, callId: call, text: "line" });
  happenings.push({ kind: "call_ended", turnId: id, result: { ...result, images: [], changed: [] } });
  happenings.push({ kind: "entry", entry: { kind: "tool_results", id: `e${String(seq + 2)}`, seq: seq + 2, createdAt: 0, turnId: id, step: at, results: [{ ...result, images: [], changed: [] }] } });
  return seq + 2;
}

function generator(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** The chat as a server shows it after these events: its history, its open turns, and the events since the last entry of the running one. */
function viewAfter(events: readonly ChatEvent[]): ChatView {
  const entries = events.flatMap((event) => (event.kind === "entry" ? [event.entry] : []));
  const names = events.findLast((event) => event.kind === "chat");
  const begun = events.findLastIndex((event) => event.kind === "entry" && (event.entry.kind === "assistant" || event.entry.kind === "tool_results" || event.entry.kind === "user"));
  const happened = ["step", "reading", "text", "thinking", "call_written", "call_started", "call_output", "call_ended", "approval", "approval_answered", "elicitation", "elicitation_answered"];
  const turns = turnsAfter(events);
  return {
    ...EMPTY,
    chat: names ? { ...EMPTY.chat, title: names.title, model: names.model } : EMPTY.chat,
    entries,
    turns,
    events: turns[0]?.state === "running" ? events.slice(begun + 1).filter((event) => happened.includes(event.kind)) : [],
    lastEvent: events.length,
  };
}

function turnsAfter(events: readonly ChatEvent[]): Turn[] {
  let turns: Turn[] = [];
  for (const event of events) {
    if (event.kind !== "turn") continue;
    const others = turns.filter((one) => one.id !== event.turnId);
    const { state } = event;
    const shown = state === "queued" || state === "running" ? [{ id: event.turnId, state, text: event.text, model: event.model, startedAt: 0, profile: event.profile ?? "chat", document: event.document ?? null, limit: null }] : [];
    turns = state === "queued" ? [...others, ...shown] : [...shown, ...others];
  }
  return turns;
}

test("a chat that is opened at any moment and then followed is the chat that was followed from the start", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const events = numbered(course(seed));
    const whole = events.reduce(fold, openState(EMPTY));
    for (let at = 0; at <= events.length; at += 1) {
      const opened = openState(viewAfter(events.slice(0, at)));
      expect(events.slice(at).reduce(fold, opened), `seed ${String(seed)}, opened after ${String(at)}`).toEqual(whole);
    }
  }
});

test("events that were heard before change nothing", () => {
  const events = numbered(course(7));
  const once = events.reduce(fold, openState(EMPTY));
  const doubled = events.flatMap((event, at) => [event, ...events.slice(Math.max(0, at - 3), at + 1)]);
  expect(doubled.reduce(fold, openState(EMPTY))).toEqual(once);
});

test("a view that tells too much of the running turn folds to the same", () => {
  const events = numbered(course(11));
  const whole = events.reduce(fold, openState(EMPTY));
  for (let at = 0; at <= events.length; at += 1) {
    const view = viewAfter(events.slice(0, at));
    const generous = view.turns[0]?.state === "running" ? { ...view, events: events.slice(0, at).filter((event) => "turnId" in event ? event.turnId === view.turns[0]?.id && event.kind !== "turn" : event.kind === "entry") } : view;
    expect(events.slice(at).reduce(fold, openState(generous))).toEqual(whole);
  }
});

test("numbers that are left out are no loss: some events are not for people", () => {
  const events = numbered([turn("t1", "running"), step("t1", 1), text("t1", 1, "Yes")]).map((event) => ({ ...event, seq: event.seq * 10 }));
  const state = events.reduce(fold, openState(EMPTY));
  expect([state.lastEvent, state.live?.blocks]).toEqual([30, [{ type: "text", text: "Yes" }]]);
});

test("words gather in one block, thought in another", () => {
  const state = folded([turn("t1", "running"), step("t1", 1), { kind: "thinking", turnId: "t1", step: 1, text: "h", isOver: false }, { kind: "thinking", turnId: "t1", step: 1, text: "m", isOver: true }, text("t1", 1, "Ye"), text("t1", 1, "s.")]);
  expect(state.live).toEqual({ turnId: "t1", step: 1, modelName: "M", reading: null, blocks: [{ type: "thinking", text: "hm", isOver: true }, { type: "text", text: "Yes." }] });
});

const accounting = (seq: number, reason: "edit" | "checkpoint_removed", fromSeq: number, about = ""): Happening => ({ kind: "entry", entry: { kind: "accounting", id: `e${String(seq)}`, seq, createdAt: 0, reason, discarded: 2, fromSeq, about, costMicros: 9 } });

test("an edit takes away what followed and says so", () => {
  const said = (seq: number): Happening => ({ kind: "entry", entry: userEntry(seq, "Why?") });
  const state = folded([said(1), said(2), said(3), accounting(4, "edit", 2), said(5)]);
  expect(state.entries.map((entry) => entry.seq)).toEqual([1, 4, 5]);
});

test("a summary that is taken off goes, what came before it stays", () => {
  const summary: Happening = { kind: "entry", entry: { kind: "summary", id: "e2", seq: 2, createdAt: 0, text: "", model: "m", costMicros: 1, missing: { files: [], numbers: [], names: [], openItems: [] } } };
  const state = folded([{ kind: "entry", entry: userEntry(1, "Why?") }, summary, accounting(3, "checkpoint_removed", 2, "e2")]);
  expect(state.entries.map((entry) => entry.id)).toEqual(["e1", "e3"]);
});

test("a refused call ends without having begun", () => {
  const result = { callId: "c", name: "run_command", text: "Denied.", images: [], fact: "", state: "denied" as const, seconds: 0, changed: [] };
  expect(folded([turn("t1", "running"), { kind: "call_ended", turnId: "t1", result }]).calls).toEqual({ c: { name: "run_command", arguments: {}, output: "", result } });
});

test("a waiting message that is taken back leaves the running tool alone", () => {
  const running: Happening = { kind: "call_started", turnId: "t1", step: 1, callId: "c", name: "run_command", arguments: { command: "make" } };
  const state = folded([turn("t1", "running"), turn("t2", "queued", "Next"), running, turn("t2", "removed")]);
  expect(Object.keys(state.calls)).toEqual(["c"]);
});

test("a stop clears what went on and keeps those that wait", () => {
  const state = folded([turn("t1", "running"), turn("t2", "queued", "Next"), step("t1", 1), text("t1", 1, "Half"), turn("t1", "cancelled")]);
  expect([state.live, state.turns]).toEqual([null, [{ id: "t2", state: "queued", text: "Next", model: null, document: null, limit: null }]]);
});
