/** The suggestion at the caret, as part of the page's state. Its place follows the text. */
import { type EditorState, PluginKey, type Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";
import { begun, type Ghost, type GhostNews, grown, taken, told } from "../ghost/ghost";
import { FROM_SERVER } from "./numbers";

export type PageNews =
  | GhostNews
  | { is: "begin"; request: number; asked: boolean }
  | { is: "accept"; text: string; whole: boolean }
  | { is: "dismiss" };

export const GHOST = new PluginKey<Ghost | null>("suggestion");

export function ghostOf(state: EditorState): Ghost | null {
  return GHOST.getState(state) ?? null;
}

export function nextGhost(transaction: Transaction, ghost: Ghost | null, before: EditorState, after: EditorState): Ghost | null {
  const news = transaction.getMeta(GHOST) as PageNews | undefined;
  if (news?.is === "begin") return begunBy(news, after);
  if (ghost === null || news?.is === "dismiss") return null;
  if (news?.is === "accept") return accepted(ghost, news, after);
  const carried = transaction.docChanged || transaction.selectionSet ? moved(ghost, transaction, before, after) : ghost;
  return carried === null || news === undefined ? carried : told(carried, news);
}

function accepted(ghost: Ghost, { text, whole }: { text: string; whole: boolean }, { selection }: EditorState): Ghost | null {
  return whole ? null : taken(ghost, text, selection.head);
}

function begunBy({ request, asked }: { request: number; asked: boolean }, { selection }: EditorState): Ghost | null {
  return selection.empty && selection.$head.parent.isTextblock ? begun(request, asked, selection.head) : null;
}

/** Follows what changes elsewhere. Here, only typing is followed, and only as long as nothing is shown. */
function moved(ghost: Ghost, transaction: Transaction, before: EditorState, after: EditorState): Ghost | null {
  const { selection } = after;
  if (!selection.empty) return null;
  if (transaction.getMeta(FROM_SERVER)) return before.selection.head === ghost.at && lineBefore(before) === lineBefore(after) ? { ...ghost, at: selection.head } : null;
  const typed = typedAt(transaction, ghost.at);
  if (typed !== null) return ghost.phase === "loading" && selection.head === ghost.at + typed.length ? grown(ghost, typed, selection.head) : null;
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
