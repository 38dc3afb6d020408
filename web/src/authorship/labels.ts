/** The hands in a text, in words and marks: each model has a mark of its own, and what was typed stays plain. */
import type { AuthorshipReport, AuthorKind, TextAuthor } from "../api";
import { whenText } from "../core/times";

/** What the editor shows of one author. */
export interface AuthorLook {
  mark: string;
  name: string;
  facts: readonly { label: string; value: string }[];
  more: { label: string; run: () => void } | null;
}

/** All that one hand has written. */
export interface AuthorShare {
  mark: string;
  name: string;
  characters: number;
  /** Of the whole text, such as 37 %. */
  share: string;
}

export type OpenChat = (id: string) => void;

/** How many models are told apart by their line. */
const LINES = 4;
const HASH = 8;
const NAMES: Record<Exclude<AuthorKind, "ai">, string> = {
  before: "Before Recto", typed: "Typed", pasted: "Pasted", outside: "Changed outside Recto", ghost: "Accepted suggestion",
};
const MARKS: Record<Exclude<AuthorKind, "ai">, string> = {
  before: "", typed: "", pasted: "author-mark author-pasted", outside: "author-mark author-outside", ghost: "author-mark author-ghost",
};

function modelsOf(authors: readonly TextAuthor[]): string[] {
  return [...new Set(authors.flatMap(({ kind, model }) => (kind === "ai" ? [model ?? ""] : [])))];
}

function markOf(author: TextAuthor, models: readonly string[]): string {
  if (author.kind !== "ai") return MARKS[author.kind];
  return `author-mark author-ai author-ai-${String((models.indexOf(author.model ?? "") % LINES) + 1)}`;
}

function nameOf(author: TextAuthor): string {
  return author.kind === "ai" ? (author.model ?? "An AI that is not known any more") : NAMES[author.kind];
}

export function looksOf(authors: readonly TextAuthor[], openChat: OpenChat): AuthorLook[] {
  const models = modelsOf(authors);
  return authors.map((author) => ({ mark: markOf(author, models), name: nameOf(author), facts: factsOf(author), more: moreOf(author, openChat) }));
}

function factsOf({ kind, at, promptHash }: TextAuthor): AuthorLook["facts"] {
  const time = at === null ? [] : [{ label: "Written", value: timeText(at) }];
  if (kind !== "ai") return time;
  return [...time, { label: "Prompt", value: promptHash?.slice(0, HASH) ?? "unknown" }];
}

function moreOf({ chatId }: TextAuthor, openChat: OpenChat): AuthorLook["more"] {
  return chatId === null ? null : { label: "Open its chat", run: () => { openChat(chatId); } };
}

/** 14:32 today, or a day with its time. */
function timeText(at: number): string {
  const day = whenText(at);
  const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return day === time ? day : `${day}, ${time}`;
}

/** What each hand has written, the largest share first. Edits of one model count together. */
export function sharesOf({ authors, spans }: Pick<AuthorshipReport, "authors" | "spans">): AuthorShare[] {
  const models = modelsOf(authors);
  const found = new Map<string, AuthorShare>();
  const all = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  for (const { start, end, author: index } of spans) {
    const author = authors[index];
    if (!author) continue;
    const name = nameOf(author);
    const known = found.get(name) ?? { mark: markOf(author, models), name, characters: 0, share: "" };
    const characters = known.characters + end - start;
    found.set(name, { ...known, characters, share: percent(characters, all) });
  }
  return [...found.values()].sort((a, b) => b.characters - a.characters);
}

/** 37 %, "under 1 %" for what is there but small. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (100 * part) / whole;
  if (share < 1) return "under 1 %";
  return share > 99 && part < whole ? "over 99 %" : `${String(Math.round(share))} %`;
}

/** 37 % written by AI, 21 % of what it wrote edited since */
export function reportText({ characters, byAi, aiEditedSince }: AuthorshipReport): string {
  if (byAi + aiEditedSince === 0) return "Nothing in it was written by AI";
  const edited = aiEditedSince === 0 ? "none of that edited since" : `${percent(aiEditedSince, byAi + aiEditedSince)} of what it wrote edited since`;
  return `${percent(byAi, characters)} written by AI, ${edited}`;
}
