/** What the message list shows: entries gathered into answers, with what goes on now at the end. */
import type { AccountingEntry, AnswerEntry, AttachedImage, CallArguments, CallArtifact, CallBlock, CallResult, ChatEntry, ErrorEntry, NoticeEntry, ResultsEntry, ShortenedOutput, SummaryEntry, TitleEntry, UserEntry } from "../../api";
import type { ChatState, LiveCall, LiveStep } from "./chat-reducer";

export interface ShownCall {
  turnId: string;
  id: string;
  name: string;
  arguments: CallArguments;
  /** written: its arguments are not whole; waiting: nothing has been heard of it. */
  state: "written" | "waiting" | "running" | CallResult["state"];
  /** What it printed while it runs, what the model was told after. */
  output: string;
  fact: string;
  seconds: number | null;
  changed: readonly string[];
  images: readonly AttachedImage[];
  /** What it answered besides, kept whole. */
  artifact: CallArtifact | null;
  /** That the model was not told all of it, and where all of it is. */
  shortened: ShortenedOutput | null;
}

export type Part =
  | { kind: "text"; key: string; text: string; isStreaming: boolean; /** Null while it is being written. */ entryId: string | null }
  | { kind: "thinking"; key: string; text: string; isOver: boolean; seconds: number | null }
  | { kind: "call"; key: string; call: ShownCall };

export interface AnswerItem {
  kind: "answer";
  key: string;
  turnId: string;
  parts: readonly Part[];
  /** The steps of it that are in the history. */
  answers: readonly AnswerEntry[];
  /** The last entry of it, from which a branch can start. */
  lastEntryId: string | null;
  /** It is being written, or its tools run. */
  isLive: boolean;
}

export type PlainEntry = UserEntry | ErrorEntry | NoticeEntry | TitleEntry | SummaryEntry | AccountingEntry;

export interface EntryItem {
  kind: "entry";
  key: string;
  entry: PlainEntry;
}

export type Item = AnswerItem | EntryItem;

const FIRST_STEP = 1;

/** A history, gathered into items. */
export interface Gathered {
  entries: readonly ChatEntry[];
  items: readonly Item[];
  /** The key of the last answer of each turn. */
  ends: ReadonlyMap<string, string>;
}

export const NOTHING: Gathered = { entries: [], items: [], ends: new Map() };

/** The history as items. Answers and tool results that follow each other are one answer. */
export function itemsOf(entries: readonly ChatEntry[]): Item[] {
  return [...gather(entries, NOTHING).items];
}

/** The history as items; those in which nothing has changed since are the same as before. */
export function gather(entries: readonly ChatEntry[], before: Gathered): Gathered {
  let same = 0;
  while (same < entries.length && entries[same] === before.entries[same]) same += 1;
  const isGrown = same > 0 && same === before.entries.length;
  const items = isGrown ? [...before.items] : [];
  const keys = new Set(items.map(({ key }) => key));
  for (const entry of isGrown ? entries.slice(same) : entries) add(items, keys, entry);
  const ends = new Map<string, string>();
  for (const item of items) if (item.kind === "answer") ends.set(item.turnId, item.key);
  return { entries, items, ends };
}

function add(items: Item[], keys: Set<string>, entry: ChatEntry): void {
  const last = items.at(-1);
  if (entry.kind === "assistant" && last?.kind === "answer" && last.turnId === entry.turnId) items[items.length - 1] = withAnswer(last, entry);
  else if (entry.kind === "assistant") items.push(withAnswer(newAnswer(entry, keys), entry));
  else if (entry.kind === "tool_results") {
    if (last?.kind === "answer") items[items.length - 1] = withResults(last, entry);
  } else items.push({ kind: "entry", key: entry.id, entry });
}

/** The answer that goes on now: that of the running turn, with its calls and what is being written. */
export function liveItem(items: readonly Item[], state: ChatState): AnswerItem | null {
  const running = state.turns.find((turn) => turn.state === "running");
  const last = items.at(-1);
  const base = running && last?.kind === "answer" && last.turnId === running.id ? last : null;
  const { live } = state;
  if (base) return goingOn(base, state);
  if (running && live) return goingOn(emptyAnswer(answerKey(live.turnId, live.step), live.turnId), state);
  // A turn may ask before its first step, such as whether to follow the folder's instructions.
  const isAsking = running && state.approvals.some(({ turnId }) => turnId === running.id);
  return isAsking ? goingOn(emptyAnswer(answerKey(running.id, FIRST_STEP), running.id), state) : null;
}

function goingOn(answer: AnswerItem, state: ChatState): AnswerItem {
  const parts = [...answer.parts.map((part) => withCall(part, state)), ...(state.live ? liveParts(state.live) : [])];
  return { ...answer, parts: unique(parts), isLive: true };
}

/** The item that holds an entry, by its number; one that shows none of it is passed over for the one before. */
export function itemAt(items: readonly Item[], seq: number): Item | null {
  return items.findLast((item) => seqOf(item) <= seq) ?? null;
}

/** The number of its first entry; none yet for an answer that is being written. */
export function seqOf(item: Item): number {
  return item.kind === "entry" ? item.entry.seq : (item.answers[0]?.seq ?? Infinity);
}

export function textOf(item: AnswerItem): string {
  return item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
}

function newAnswer(entry: AnswerEntry, keys: Set<string>): AnswerItem {
  const wanted = answerKey(entry.turnId, entry.step);
  // A turn that was continued may count its steps anew.
  const key = keys.has(wanted) ? `${wanted}:${entry.id}` : wanted;
  keys.add(key);
  return emptyAnswer(key, entry.turnId);
}

function emptyAnswer(key: string, turnId: string): AnswerItem {
  return { kind: "answer", key, turnId, parts: [], answers: [], lastEntryId: null, isLive: false };
}

function answerKey(turnId: string, step: number): string {
  return `answer:${turnId}:${String(step)}`;
}

function withAnswer(item: AnswerItem, entry: AnswerEntry): AnswerItem {
  const parts = entry.blocks.map((block, index): Part => {
    const key = `${String(entry.step)}:${String(index)}`;
    switch (block.type) {
      case "text":
        return { kind: "text", key, text: block.text, isStreaming: false, entryId: entry.id };
      case "thinking":
        return { kind: "thinking", key, text: block.text, isOver: true, seconds: entry.thinkingSeconds };
      case "call":
        return { kind: "call", key, call: unanswered(entry.turnId, block) };
    }
  });
  return { ...item, parts: unique([...item.parts, ...parts]), answers: [...item.answers, entry], lastEntryId: entry.id };
}

function unanswered(turnId: string, block: CallBlock): ShownCall {
  return { turnId, id: block.id, name: block.name, arguments: block.arguments, state: "waiting", output: "", fact: "", seconds: null, changed: [], images: [], artifact: null, shortened: null };
}

/** Keys must differ even where a continued turn counts its steps anew. */
function unique(parts: readonly Part[]): Part[] {
  const seen = new Set<string>();
  return parts.map((part) => {
    const key = seen.has(part.key) ? `${part.key}:${String(seen.size)}` : part.key;
    seen.add(key);
    return key === part.key ? part : { ...part, key };
  });
}

function withResults(item: AnswerItem, entry: ResultsEntry): AnswerItem {
  const results = new Map(entry.results.map((result) => [result.callId, result]));
  const parts = item.parts.map((part) => {
    const result = part.kind === "call" && part.call.state === "waiting" ? results.get(part.call.id) : undefined;
    return part.kind === "call" && result ? { ...part, call: answered(part.call, result) } : part;
  });
  return { ...item, parts, lastEntryId: entry.id };
}

function answered(call: ShownCall, result: CallResult): ShownCall {
  return { ...call, state: result.state, output: result.text, fact: result.fact, seconds: result.seconds, changed: result.changed, images: result.images, artifact: result.artifact ?? null, shortened: result.shortened ?? null };
}

function withCall(part: Part, state: ChatState): Part {
  if (part.kind !== "call" || part.call.state !== "waiting") return part;
  const live = state.calls[part.call.id];
  return live ? { ...part, call: running(part.call, live) } : part;
}

function running(call: ShownCall, live: LiveCall): ShownCall {
  return live.result ? answered(call, live.result) : { ...call, state: "running", output: live.output };
}

function liveParts(live: LiveStep): Part[] {
  return live.blocks.map((block, index): Part => {
    const key = `${String(live.step)}:${String(index)}`;
    const isLast = index === live.blocks.length - 1;
    switch (block.type) {
      case "text":
        return { kind: "text", key, text: block.text, isStreaming: isLast, entryId: null };
      case "thinking":
        return { kind: "thinking", key, text: block.text, isOver: block.isOver || !isLast, seconds: null };
      case "call":
        return { kind: "call", key, call: { ...unanswered(live.turnId, { ...block, arguments: {} }), state: "written" } };
    }
  });
}
