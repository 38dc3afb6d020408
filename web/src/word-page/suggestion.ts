/**
 * The suggestion at the caret: nothing, asked for, or shown. Its place follows the text. An answer holds only while
 * what was written since is the beginning of it.
 */
import { type EditorState, PluginKey, type Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";
import { FROM_SERVER } from "./numbers";

export interface Suggestion {
  /** One id for all suggestions of one answer. */
  id: string;
  index: number;
  text: string;
  /** How sure the model is, in words; empty when nobody knows. */
  confidence: string;
}

export interface Ghost {
  readonly phase: "loading" | "active";
  /** Tells one asking from the next. */
  readonly request: number;
  /** Where the caret is, and what is suggested would go. */
  readonly at: number;
  /** The person asked for it, rather than paused. */
  readonly asked: boolean;
  /** It takes long enough for the person to be told. */
  readonly isLate: boolean;
  /** What was written here since it was asked for; every suggestion begins with it. */
  readonly taken: string;
  /** How much of that was accepted, not typed. */
  readonly accepted: number;
  readonly items: readonly Suggestion[];
  readonly index: number;
}

export type GhostNews =
  | { is: "begin"; request: number; asked: boolean }
  | { is: "arrive"; request: number; suggestion: Suggestion }
  | { is: "late" | "reveal" | "finish"; request: number }
  | { is: "choose"; index: number }
  | { is: "accept"; text: string; whole: boolean }
  | { is: "dismiss" };

export const GHOST = new PluginKey<Ghost | null>("suggestion");

export function ghostOf(state: EditorState): Ghost | null {
  return GHOST.getState(state) ?? null;
}

/** What is left of a suggestion to be taken. */
export function restOf({ items, index, taken }: Ghost): string {
  return items[index]?.text.slice(taken.length) ?? "";
}

export function nextGhost(transaction: Transaction, ghost: Ghost | null, before: EditorState, after: EditorState): Ghost | null {
  const news = transaction.getMeta(GHOST) as GhostNews | undefined;
  if (news?.is === "begin") return begun(news, after);
  if (ghost === null || news?.is === "dismiss") return null;
  if (news?.is === "accept") return accepted(ghost, news, after);
  const carried = transaction.docChanged || transaction.selectionSet ? moved(ghost, transaction, before, after) : ghost;
  return carried === null || news === undefined ? carried : told(carried, news);
}

function begun({ request, asked }: { request: number; asked: boolean }, { selection }: EditorState): Ghost | null {
  if (!selection.empty || !selection.$head.parent.isTextblock) return null;
  return { phase: "loading", request, at: selection.head, asked, isLate: false, taken: "", accepted: 0, items: [], index: 0 };
}

function accepted(ghost: Ghost, { text, whole }: { text: string; whole: boolean }, { selection }: EditorState): Ghost | null {
  return whole ? null : grown({ ...ghost, at: selection.head, accepted: ghost.accepted + text.length }, text);
}

function told(ghost: Ghost, news: GhostNews): Ghost | null {
  if (news.is === "choose") return { ...ghost, index: news.index };
  if (!("request" in news) || news.request !== ghost.request) return ghost;
  if (news.is === "arrive") return arrived(ghost, news.suggestion);
  if (news.is === "late") return { ...ghost, isLate: true };
  if (ghost.items.length === 0) return news.is === "finish" ? null : ghost;
  return news.is === "reveal" ? { ...ghost, phase: "active" } : ghost;
}

/** One that does not go on from what was written meanwhile, or says the same again, is left out; one that is here is known better now. */
function arrived(ghost: Ghost, suggestion: Suggestion): Ghost {
  if (ghost.items.some(({ index }) => index === suggestion.index)) {
    return { ...ghost, items: ghost.items.map((item) => (item.index === suggestion.index ? { ...item, confidence: suggestion.confidence } : item)) };
  }
  if (!goesOn(suggestion, ghost.taken) || ghost.items.some(({ text }) => text === suggestion.text)) return ghost;
  return { ...ghost, items: [...ghost.items, suggestion] };
}

function goesOn({ text }: Suggestion, taken: string): boolean {
  return text.startsWith(taken) && text.slice(taken.length).trim() !== "";
}

/** Follows what changes elsewhere. Here, only typing is followed, and only as long as nothing is shown. */
function moved(ghost: Ghost, transaction: Transaction, before: EditorState, after: EditorState): Ghost | null {
  const { selection } = after;
  if (!selection.empty) return null;
  if (transaction.getMeta(FROM_SERVER)) return before.selection.head === ghost.at && lineBefore(before) === lineBefore(after) ? { ...ghost, at: selection.head } : null;
  const typed = typedAt(transaction, ghost.at);
  if (typed !== null) return ghost.phase === "loading" && selection.head === ghost.at + typed.length ? grown({ ...ghost, at: selection.head }, typed) : null;
  const at = transaction.mapping.map(ghost.at, -1);
  return selection.head === at ? { ...ghost, at } : null;
}

/** The letters that stand before the caret in its paragraph. */
function lineBefore({ selection: { $head } }: EditorState): string {
  return $head.parent.textBetween(0, $head.parentOffset);
}

/** What was typed at a place; null if that is not all that was done. */
function typedAt({ steps }: Transaction, at: number): string | null {
  const [step] = steps;
  if (steps.length !== 1 || !(step instanceof ReplaceStep) || step.from !== at || step.to !== at) return null;
  const { content, openStart } = step.slice;
  return openStart === 0 && content.childCount === 1 && content.firstChild?.isText === true ? (content.firstChild.text ?? null) : null;
}

/** What was written here is the beginning of the suggestions that are left. */
function grown(ghost: Ghost, text: string): Ghost {
  const taken = ghost.taken + text;
  const current = ghost.items[ghost.index];
  const items = ghost.items.filter((item) => goesOn(item, taken));
  return { ...ghost, taken, items, index: Math.max(0, items.findIndex((item) => item === current)) };
}
