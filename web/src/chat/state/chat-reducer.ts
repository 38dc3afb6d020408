/** A chat as it stands, folded from its view and its events. The one place where an event means something. */
import type {
  AccountingEntry, ApprovalAnswered, ApprovalAsked, CallArguments, CallBegan, CallOver, CallPrinted, CallResult, CallWritten, ChatEntry, ChatEvent, ChatView, ElicitationAnswered, ElicitationAsked, PromptRead, StepStarted, TextAdded, ThinkingAdded, Turn, TurnChanged,
} from "../../api";

export interface OpenTurn {
  id: string;
  state: Turn["state"];
  text: string;
  model: string | null;
  /** The document it is about; null for an ordinary one. */
  document: string | null;
  /** The most steps it takes; null until that is told. */
  limit: number | null;
}

export type LiveBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string; isOver: boolean }
  | { type: "call"; slot: number; id: string; name: string };

/** The answer that is being written; it becomes an entry when it is whole. */
export interface LiveStep {
  turnId: string;
  step: number;
  modelName: string;
  blocks: readonly LiveBlock[];
  /** How many tokens of what was sent the model has read, as far as it tells. */
  reading: { read: number; total: number } | null;
}

/** A tool that runs, or has answered while its neighbours still run. */
export interface LiveCall {
  name: string;
  arguments: CallArguments;
  output: string;
  result: CallResult | null;
}

export interface ChatState {
  title: string;
  model: string | null;
  entries: readonly ChatEntry[];
  hasEarlier: boolean;
  /** The running or interrupted turn first, then those that wait. */
  turns: readonly OpenTurn[];
  live: LiveStep | null;
  calls: Readonly<Record<string, LiveCall>>;
  approvals: readonly ApprovalAsked[];
  /** Questions of MCP servers, in the middle of their calls. */
  elicitations: readonly ElicitationAsked[];
  lastEvent: number;
}

/** The most characters of a running tool's output that are kept. */
const OUTPUT_MAX = 40_000;

/** The state of a chat that was just read. */
export function openState(view: ChatView): ChatState {
  const start: ChatState = {
    title: view.chat.title,
    model: view.chat.model,
    entries: view.entries,
    hasEarlier: view.hasEarlier,
    turns: view.turns.map(knownTurn),
    live: null,
    calls: {},
    approvals: [],
    elicitations: [],
    lastEvent: 0,
  };
  return { ...view.events.reduce(apply, start), lastEvent: view.lastEvent };
}

/** Takes one event from the stream. An old one changes nothing; numbers may be left out, order never changes. */
export function fold(state: ChatState, event: ChatEvent): ChatState {
  if (event.seq <= state.lastEvent) return state;
  return { ...apply(state, event), lastEvent: event.seq };
}

function apply(state: ChatState, event: ChatEvent): ChatState {
  if (isOfStep(event)) return goOn(state, event);
  if (isAsked(event)) return ask(state, event);
  switch (event.kind) {
    case "entry":
      return addEntry(state, event.entry);
    case "turn":
      return changeTurn(state, event);
    case "step":
      return beginStep(state, event);
    case "call_started":
    case "call_output":
    case "call_ended":
      return runCall(state, event);
    case "chat":
      return { ...state, title: event.title, model: event.model };
    case "pin":
      return { ...state, entries: state.entries.map((entry) => (entry.kind === "user" && event.entryIds.includes(entry.id) ? { ...entry, pinned: event.pinned } : entry)) };
  }
}

type Asking = ApprovalAsked | ApprovalAnswered | ElicitationAsked | ElicitationAnswered;

function isAsked(event: ChatEvent): event is Asking {
  return /^(approval|elicitation)/.test(event.kind);
}

/** Takes in what a person is asked, or that it is answered. */
function ask(state: ChatState, event: Asking): ChatState {
  if (event.kind === "approval" || event.kind === "approval_answered") {
    const others = state.approvals.filter((asked) => asked.approvalId !== event.approvalId);
    return { ...state, approvals: event.kind === "approval" ? [...others, event] : others };
  }
  const others = state.elicitations.filter((asked) => asked.elicitationId !== event.elicitationId);
  return { ...state, elicitations: event.kind === "elicitation" ? [...others, event] : others };
}

function addEntry(state: ChatState, entry: ChatEntry): ChatState {
  const isKnown = (state.entries.at(-1)?.seq ?? -1) >= entry.seq;
  const next = isKnown ? state : { ...state, entries: [...state.entries, entry] };
  if (entry.kind === "assistant") return { ...next, live: isOf(state.live, entry.turnId, entry.step) ? null : state.live };
  if (entry.kind === "tool_results") return { ...next, calls: without(state.calls, entry.results.map((result) => result.callId)) };
  return entry.kind === "accounting" ? { ...next, entries: counting(next.entries, entry) } : next;
}

/** The entries that still count after some were put aside. */
function counting(entries: readonly ChatEntry[], { reason, fromSeq, about, seq }: AccountingEntry): readonly ChatEntry[] {
  if (reason === "checkpoint_removed") return entries.filter((entry) => entry.id !== about);
  return entries.filter((entry) => entry.seq < fromSeq || entry.seq >= seq);
}

function changeTurn(state: ChatState, event: TurnChanged): ChatState {
  const others = state.turns.filter((turn) => turn.id !== event.turnId);
  switch (event.state) {
    case "queued":
      return { ...state, turns: [...others, openTurn(event, "queued")] };
    case "running":
      return { ...state, turns: [openTurn(event, "running"), ...others] };
    case "interrupted":
    case "finished":
    case "failed":
    case "cancelled":
    case "joined":
    case "removed":
      return settle(state, { ...state, turns: others }, event.turnId);
  }
}

function knownTurn({ id, state, text, model, document, limit }: Turn): OpenTurn {
  return { id, state, text, model, document, limit };
}

function openTurn({ turnId: id, text, model, document = null }: TurnChanged, state: Turn["state"]): OpenTurn {
  return { id, state, text, model, document, limit: null };
}

function beginStep(state: ChatState, { turnId, step, modelName, limit = null }: StepStarted): ChatState {
  const turns = state.turns.map((turn) => (turn.id === turnId ? { ...turn, limit } : turn));
  return { ...state, turns, live: { turnId, step, modelName, blocks: [], reading: null } };
}

/** Nothing of this turn goes on any more. One that only waited takes nothing with it. */
function settle(before: ChatState, state: ChatState, turnId: string): ChatState {
  if (before.turns.find((turn) => turn.id === turnId)?.state !== "running") return state;
  return { ...state, live: null, calls: {}, approvals: state.approvals.filter((asked) => asked.turnId !== turnId), elicitations: state.elicitations.filter((asked) => asked.turnId !== turnId) };
}

type Written = TextAdded | ThinkingAdded | CallWritten;
/** What comes of a step that a model is at. */
type OfStep = Written | PromptRead;

function isOfStep(event: ChatEvent): event is OfStep {
  return event.kind === "reading" || event.kind === "text" || event.kind === "thinking" || event.kind === "call_written";
}

function goOn(state: ChatState, event: OfStep): ChatState {
  const live = isOf(state.live, event.turnId, event.step) ?? { turnId: event.turnId, step: event.step, modelName: "", blocks: [], reading: null };
  const news = event.kind === "reading" ? { reading: { read: event.read, total: event.total } } : { blocks: written(live.blocks, event) };
  return { ...state, live: { ...live, ...news } };
}

function written(blocks: readonly LiveBlock[], event: Written): readonly LiveBlock[] {
  const last = blocks.at(-1);
  switch (event.kind) {
    case "text":
      return last?.type === "text" ? blocks.with(-1, { ...last, text: last.text + event.text }) : [...blocks, { type: "text", text: event.text }];
    case "thinking":
      if (last?.type === "thinking" && !last.isOver) return blocks.with(-1, { ...last, text: last.text + event.text, isOver: event.isOver });
      return [...blocks, { type: "thinking", text: event.text, isOver: event.isOver }];
    case "call_written": {
      const call = { type: "call", slot: event.slot, id: event.callId, name: event.name } as const;
      const at = blocks.findIndex((block) => block.type === "call" && block.slot === event.slot);
      return at < 0 ? [...blocks, call] : blocks.with(at, call);
    }
  }
}

function runCall(state: ChatState, event: CallBegan | CallPrinted | CallOver): ChatState {
  switch (event.kind) {
    case "call_started":
      return beginCall(state, event);
    case "call_output":
      return printCall(state, event.callId, event.text);
    case "call_ended":
      return endCall(state, event.result);
  }
}

function beginCall(state: ChatState, event: CallBegan): ChatState {
  const call: LiveCall = { name: event.name, arguments: event.arguments, output: "", result: null };
  return { ...state, calls: { ...state.calls, [event.callId]: call } };
}

function printCall(state: ChatState, id: string, text: string): ChatState {
  const call = state.calls[id];
  if (!call) return state;
  return { ...state, calls: { ...state.calls, [id]: { ...call, output: (call.output + text).slice(-OUTPUT_MAX) } } };
}

/** A call that was refused ends without having begun. */
function endCall(state: ChatState, result: CallResult): ChatState {
  const call = state.calls[result.callId] ?? { name: result.name, arguments: {}, output: "" };
  return { ...state, calls: { ...state.calls, [result.callId]: { ...call, result } } };
}

function without(calls: ChatState["calls"], ids: readonly string[]): ChatState["calls"] {
  return Object.fromEntries(Object.entries(calls).filter(([id]) => !ids.includes(id)));
}

function isOf(live: LiveStep | null, turnId: string, step: number): LiveStep | null {
  return live?.turnId === turnId && live.step === step ? live : null;
}
