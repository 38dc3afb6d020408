/** How a turn about a document stands, in words for one line: what it does now, how far it is, how it ended. */
import type { AnswerEntry, CallArguments, ChatEntry } from "../../api";
import type { ChatState } from "../../chat/state/chat-reducer";
import { countOf } from "../../core/amounts";

const QUOTE = 40;
const SENTENCE = 140;

export type AgentPhase = "waiting" | "working" | "asking" | "done" | "ended";

export interface AgentStatus {
  phase: AgentPhase;
  words: string;
  /** Which step runs, such as 2/8; empty before the first and after the last. */
  step: string;
}

interface Doing {
  words: string;
  step: number | null;
}

/** How a turn stands in the chat it belongs to. */
export function statusOf(state: ChatState | null, turnId: string): AgentStatus {
  const turn = state?.turns.find((one) => one.id === turnId);
  if (!state) return BEGUN;
  if (turn?.state === "queued") return { phase: "waiting", words: "Waiting for the answer before it", step: "" };
  if (turn?.state !== "running") return endOf(state.entries.filter((entry) => "turnId" in entry && entry.turnId === turnId)) ?? BEGUN;
  if (state.approvals.length + state.elicitations.length > 0) return { phase: "asking", words: "Waits for your answer in the chat", step: "" };
  const { words, step } = workingOn(state, turnId);
  return { phase: "working", words, step: step === null || turn.limit === null ? "" : `${String(step)}/${String(turn.limit)}` };
}

const BEGUN: AgentStatus = { phase: "working", words: "Writing…", step: "" };

function workingOn({ live, entries }: ChatState, turnId: string): Doing {
  const step = live?.step ?? null;
  const block = live?.blocks.at(-1);
  if (block) return { words: block.type === "thinking" ? "Thinking…" : "Writing…", step };
  // A call is over in no time: what it was about stands until the model says something new.
  return lastCall(entries, turnId) ?? { words: "Writing…", step };
}

function lastCall(entries: readonly ChatEntry[], turnId: string): Doing | null {
  const answer = entries.filter((entry) => entry.kind === "assistant").findLast((entry) => entry.turnId === turnId);
  const call = answer?.blocks.filter((block) => block.type === "call").at(-1);
  return answer && call ? { words: callWords(call.name, call.arguments), step: answer.step } : null;
}

function endOf(entries: readonly ChatEntry[]): AgentStatus | null {
  const last = entries.findLast((entry) => entry.kind === "assistant" || entry.kind === "error" || entry.kind === "notice");
  switch (last?.kind) {
    case "assistant":
      return { phase: "done", words: doneWords(entries, last), step: "" };
    case "error":
      return { phase: "ended", words: `${last.message} ${last.remedy}`.trim(), step: "" };
    case "notice":
      return { phase: "ended", words: last.words, step: "" };
    case undefined:
      return null;
  }
}

/** All that was said at the end of a turn. */
export function answerOf(state: ChatState | null, turnId: string): string {
  const last = state?.entries.findLast((entry) => entry.kind === "assistant" && entry.turnId === turnId);
  return last?.kind === "assistant" ? textOf(last).trim() : "";
}

function textOf(answer: AnswerEntry): string {
  return answer.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function doneWords(entries: readonly ChatEntry[], answer: AnswerEntry): string {
  const results = entries.flatMap((entry) => (entry.kind === "tool_results" ? entry.results : []));
  const edits = results.filter((result) => result.name === "edit_document" && result.state === "done").length;
  const said = firstSentence(textOf(answer));
  if (edits === 0) return said === "" ? "Nothing was changed." : said;
  return `${countOf(edits, "edit")} made. ${said}`.trim();
}

/** What a call is doing. */
export function callWords(name: string, args: CallArguments): string {
  switch (name) {
    case "search_document":
      return `Searching for ${quoted(args["query"])}`;
    case "read_document":
      return readWords(args["start_line"], args["end_line"]);
    case "edit_document":
      return `Changing ${quoted(args["find"])}`;
    case "get_document_info":
      return "Looking at the document";
    default:
      return "Writing…";
  }
}

function readWords(start: unknown, end: unknown): string {
  if (typeof start !== "number") return "Reading the document";
  return typeof end === "number" ? `Reading lines ${String(start)} to ${String(end)}` : `Reading from line ${String(start)}`;
}

function quoted(value: unknown): string {
  const line = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
  return `“${line.length > QUOTE ? `${line.slice(0, QUOTE).trimEnd()}…` : line}”`;
}

/** The first sentence of an answer, without its Markdown, cut where it is long. */
export function firstSentence(text: string): string {
  const plain = text.replaceAll(/[*_`#>]+/g, "").trim().split("\n")[0]?.trim() ?? "";
  const sentence = /^.*?[.?!](?=\s|$)/.exec(plain)?.[0] ?? plain;
  return sentence.length > SENTENCE ? `${sentence.slice(0, SENTENCE).trimEnd()}…` : sentence;
}
