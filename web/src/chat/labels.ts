/** Facts about chats and answers in words: titles, times, tokens, confidence. */
import type { AnswerEntry, AttachedFile, Chat, ChatTool, ChatTools, ChatTotals, ChatUpdate, ToolsEffect, ToolsMode } from "../api";
import { nameOf } from "../core/paths";
import { money, tokens, unpricedText } from "../core/amounts";
import { CONFIDENCE_SOURCES } from "../core/confidence";

export function chatTitle(chat: Pick<Chat, "title">): string {
  return chat.title === "" ? "New chat" : chat.title;
}

/** What another tab did to a chat that was about to be changed here. */
export function overtakenWords(now: Chat, change: Partial<ChatUpdate>): string {
  if (change.title !== undefined) return `This chat is called “${chatTitle(now)}” now: it was renamed elsewhere meanwhile.`;
  if (change.groupId !== undefined || change.projectId !== undefined) return "This chat was moved elsewhere meanwhile.";
  return "This chat was changed elsewhere meanwhile.";
}

/** What a confidence rests on, or why it is unknown. */
export function confidenceSource({ confidence }: AnswerEntry): string {
  return confidence.why || CONFIDENCE_SOURCES[confidence.source];
}

/** What the requests behind one answer used together. */
export interface AnswerUse {
  input: number;
  cached: number;
  output: number;
  /** Whether some of it is Recto's own count: an answer was stopped, broke off, or its provider told nothing. */
  isEstimate: boolean;
  /** Whether nothing is known of the tokens of one of them. */
  isUnknown: boolean;
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
    isEstimate: uses.some((use) => use.source !== "final"),
    isUnknown: uses.length < answers.length,
    costMicros: costs.includes(null) ? null : sum(costs.map((cost) => cost ?? 0)),
  };
}

/** 9.3k in, 412 out, estimated */
export function tokensText(use: AnswerUse): string {
  if (use.isUnknown && use.input + use.output === 0) return "tokens unknown";
  return `${use.isUnknown ? "≥ " : ""}${tokens(use.input)} in, ${tokens(use.output)} out${use.isEstimate ? ", estimated" : ""}`;
}

/** 9.3k in, 412 out · $0.012 */
export function useText(use: AnswerUse): string {
  return `${tokensText(use)} · ${use.costMicros === null ? "cost unknown" : money(use.costMicros)}`;
}

/** What a chat has used and cost in all, everything that was put aside included. */
export function totalsText({ input, cacheRead, cacheWrite, output, costMicros, unpriced }: ChatTotals): { cost: string; whole: string } {
  const cost = unpriced > 0 ? `≥ ${money(costMicros)}` : money(costMicros);
  const cached = cacheRead > 0 ? ` (${tokens(cacheRead)} from the cache)` : "";
  const unknown = unpriced > 0 ? `. ${unpricedText(unpriced)}` : "";
  return { cost, whole: `${tokens(input + cacheRead + cacheWrite)} tokens in${cached}, ${tokens(output)} out, ${cost}${unknown}` };
}

/** The name on a chip: the file, and what of it. */
export function attachedName(file: AttachedFile): string {
  const name = nameOf(file.path);
  if (file.cut !== null && file.cut !== "") return `${name}, ${file.cut}`;
  return file.origin === "selection" ? `${name}, a passage` : name;
}

/** What is told of an answer that has not begun: how far the model is, where it says so. */
export function waitingText(reading: { read: number; total: number } | null): string {
  if (!reading) return "Waiting for the model";
  return reading.total === 0 ? "Loading the model…" : `Reading your message: ${String(Math.floor((100 * reading.read) / reading.total))} %`;
}

export const MODE_NAMES: Readonly<Record<ToolsMode, string>> = { auto: "Auto", all_on: "All on", all_off: "All off", manual: "Manual", cached: "Cached" };

export const MODE_WORDS: Readonly<Record<ToolsMode, string>> = {
  auto: "An index or a search; the rest when needed",
  all_on: "Every tool, every earlier result",
  all_off: "No tools, no earlier results",
  manual: "What you tick",
  cached: "Every tool in a fixed order, every earlier result",
};

export interface ToolGroup {
  server: string;
  tools: ChatTool[];
  tokens: number;
  /** A tool's name among those of its server. */
  shown: (name: string) => string;
}

/** The tools by the server they are from, in the order in which they come. */
export function toolGroups(offered: readonly ChatTool[]): ToolGroup[] {
  const groups = new Map<string, ToolGroup>();
  for (const tool of offered) {
    const [server = "", name] = tool.name.split(/__(.*)/s);
    const prefix = name === undefined ? "" : `${server}__`;
    const title = name === undefined ? "Recto" : server;
    const group = groups.get(title) ?? { server: title, tools: [], tokens: 0, shown: (one) => one.slice(prefix.length) };
    group.tools.push(tool);
    group.tokens += tool.tokens;
    groups.set(title, group);
  }
  return [...groups.values()];
}

/** What a mode would save or break, before it is chosen. */
export function effectWords(effect: ToolsEffect, shown: ChatTools): string {
  const now = shown.modes.find((one) => one.mode === shown.mode);
  const saved = (now?.tokens ?? effect.tokens) - effect.tokens;
  const each = saved > 0 ? `saves ${tokens(saved)} each time` : saved < 0 ? `sends ${tokens(-saved)} more each time` : "";
  const price = effect.againMicros === null || effect.againMicros === 0 ? "" : `, ${money(effect.againMicros)}`;
  const once = effect.againTokens > 0 ? `reads ${tokens(effect.againTokens)} again once${price}` : "";
  const words = [once, each].filter((part) => part !== "").join(", then ");
  if (words === "") return effect.mode === shown.mode ? "As it is now" : "Changes nothing now";
  return words.charAt(0).toUpperCase() + words.slice(1);
}
