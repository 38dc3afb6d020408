/** Facts about chats and answers in words: titles, times, tokens, confidence. */
import type { AnswerEntry, AttachedFile, Chat, ChatUpdate } from "../api";
import { nameOf } from "./documents.svelte";
import { money, tokens } from "./money";

export function chatTitle(chat: Pick<Chat, "title">): string {
  return chat.title === "" ? "New chat" : chat.title;
}

/** What another tab did to a chat that was about to be changed here. */
export function overtakenWords(now: Chat, change: Partial<ChatUpdate>): string {
  if (change.title !== undefined) return `This chat is called “${chatTitle(now)}” now: it was renamed elsewhere meanwhile.`;
  if (change.groupId !== undefined || change.projectId !== undefined) return "This chat was moved elsewhere meanwhile.";
  return "This chat was changed elsewhere meanwhile.";
}

const FORMATS = {
  time: { hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
} as const;
/** Made once: making one takes a hundred times as long as using it, and some lists are long. */
const formats = new Map<keyof typeof FORMATS, Intl.DateTimeFormat>();

function formatted(date: Date, name: keyof typeof FORMATS): string {
  const format = formats.get(name) ?? new Intl.DateTimeFormat([], FORMATS[name]);
  formats.set(name, format);
  return format.format(date);
}

/** 14:32 today, yesterday, or a date. Times arrive as milliseconds. */
export function whenText(at: number, now: Date = new Date()): string {
  const date = new Date(at);
  const days = dayNumber(now) - dayNumber(date);
  if (days === 0) return formatted(date, "time");
  if (days === 1) return "yesterday";
  return formatted(date, date.getFullYear() === now.getFullYear() ? "day" : "date");
}

/** The same in few letters, for the end of a narrow row: of another year, only the month. */
export function whenShort(at: number, now: Date = new Date()): string {
  return new Date(at).getFullYear() === now.getFullYear() ? whenText(at, now) : formatted(new Date(at), "month");
}

function dayNumber(date: Date): number {
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000);
}

/** 6 s, 2 min 5 s */
export function secondsText(seconds: number): string {
  const whole = Math.max(seconds > 0 ? 1 : 0, Math.round(seconds));
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}

export type ConfidenceLevel = "high" | "medium" | "low";

export function confidenceLevel(value: number): ConfidenceLevel {
  if (value >= 0.8) return "high";
  return value >= 0.6 ? "medium" : "low";
}

const LEVELS: Record<ConfidenceLevel, string> = { high: "High", medium: "Medium", low: "Low" };

/** High confidence 0.86 */
export function confidenceText(value: number): string {
  return `${LEVELS[confidenceLevel(value)]} confidence ${value.toFixed(2)}`;
}

/** What a confidence rests on. */
export const CONFIDENCE_SOURCES = { logprobs: "by log-probabilities", heuristic: "by heuristic", agreement: "by how far the suggestions agree", unknown: "not measured" } as const;

export function confidenceSource(entry: AnswerEntry): string {
  return CONFIDENCE_SOURCES[entry.confidence.source];
}

/** What the requests behind one answer used together. */
export interface AnswerUse {
  input: number;
  cached: number;
  output: number;
  /** Null when the price of one of them is unknown. */
  costMicros: number | null;
}

export function useOf(answers: readonly AnswerEntry[]): AnswerUse {
  const uses = answers.flatMap(({ usage }) => (usage ? [usage] : []));
  const costs = answers.map((answer) => answer.costMicros);
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  return {
    input: sum(uses.map((use) => use.input + use.cacheRead + use.cacheWrite)),
    cached: sum(uses.map((use) => use.cacheRead)),
    output: sum(uses.map((use) => use.output)),
    costMicros: costs.includes(null) ? null : sum(costs.map((cost) => cost ?? 0)),
  };
}

/** 9.3k in, 412 out · $0.012 */
export function useText(use: AnswerUse): string {
  return `${tokens(use.input)} in, ${tokens(use.output)} out · ${use.costMicros === null ? "cost unknown" : money(use.costMicros)}`;
}

/** The name on a chip: the file, and what of it. */
export function attachedName(file: AttachedFile): string {
  const name = nameOf(file.path);
  if (file.cut !== null && file.cut !== "") return `${name}, ${file.cut}`;
  return file.origin === "selection" ? `${name}, a passage` : name;
}

export type BarLevel = "normal" | "high" | "over";

/** From 80 % on the window is nearly full. */
export function windowLevel(used: number, window: number): BarLevel {
  if (used > window) return "over";
  return used >= window * 0.8 ? "high" : "normal";
}
