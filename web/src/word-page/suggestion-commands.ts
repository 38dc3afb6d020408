/** What can be done with a suggestion: ask for one, take all of it or a part, look at another, send it away. */
import { closeHistory } from "prosemirror-history";
import { type EditorState, TextSelection, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type Ghost, restOf, type Suggestion } from "../ghost/ghost";
import { GHOST, ghostOf, type PageNews } from "./suggestion";

export interface GhostSettings {
  suggest: "asked" | "pause" | "off";
  suggestPauseMs: number;
  suggestHideSeconds: number;
}

export interface GhostSource {
  ask(request: { path: string; prefix: string; suffix: string; language: string | null }, signal: AbortSignal): AsyncIterable<Suggestion>;
  /** What the person wants, read whenever it matters. */
  settings(): GhostSettings;
  outcome(id: string, what: { outcome: "accepted" | "partly" | "dismissed"; index: number; characters: number }): void;
  /** What somebody asked for could not be had. */
  failed(error: unknown): void;
}

/** Who suggests, and the rules of suggestions that texts have, too. */
export interface GhostAround {
  source: GhostSource;
  path: string;
  /** The first word and the first line of what is suggested, with the white space before. */
  firstWord: (text: string) => string;
  firstLine: (text: string) => string;
  /** Whether two plusses after these words ask for a suggestion. */
  asksAfter: (before: string) => boolean;
}

let requests = 0;

export function telling(transaction: Transaction, news: PageNews): Transaction {
  return transaction.setMeta(GHOST, news).setMeta("addToHistory", transaction.docChanged);
}

/** The beginning of a new asking. */
export function asking(asked: boolean): PageNews {
  requests += 1;
  return { is: "begin", request: requests, asked };
}

export function canSuggest(view: EditorView, { source }: GhostAround): boolean {
  const { empty, $head } = view.state.selection;
  return source.settings().suggest !== "off" && view.editable && empty && $head.parent.isTextblock && $head.parent.attrs.locked !== true && !view.composing;
}

export function dismissing(view: EditorView): boolean {
  if (ghostOf(view.state) === null) return false;
  view.dispatch(telling(view.state.tr, { is: "dismiss" }));
  return true;
}

function shown(state: EditorState): Ghost | null {
  const ghost = ghostOf(state);
  return ghost?.phase === "active" ? ghost : null;
}

/** Puts a text at a place, each line of it a paragraph; tells where it ends. */
function write(change: Transaction, at: number, text: string): number {
  let pos = at;
  text.split(/\n+/).forEach((line, number) => {
    if (number > 0) {
      change.split(pos);
      pos += 2;
    }
    if (line !== "") change.insertText(line, pos);
    pos += line.length;
  });
  return pos;
}

/** Told when all of a suggestion is taken: how many letters that were left. */
type OnWhole = (characters: number) => void;

/** Writes a part of what is suggested, as a step of its own that can be undone; all but white space is all of it. */
function take(view: EditorView, part: (rest: string) => string, onWhole: OnWhole): boolean {
  const { state } = view;
  const ghost = shown(state);
  if (!ghost) return false;
  const rest = restOf(ghost);
  const first = part(rest);
  const isWhole = rest.slice(first.length).trim() === "";
  const text = isWhole ? rest.trimEnd() : first;
  const change = closeHistory(state.tr);
  const end = write(change, ghost.at, text);
  const blank = isWhole ? blankBetween(rest, state) : "";
  if (blank !== "") change.insertText(blank, end);
  change.setSelection(TextSelection.create(change.doc, end)).scrollIntoView();
  if (isWhole) onWhole(text.length);
  view.dispatch(telling(change, { is: "accept", text, whole: isWhole }));
  view.dispatch(closeHistory(view.state.tr));
  return true;
}

/** The blank that ends a suggestion is needed before a word that follows; the caret stands before it all the same. */
function blankBetween(rest: string, { selection }: EditorState): string {
  const next = selection.$head.nodeAfter?.text?.charAt(0) ?? "";
  return /\S/.test(next) ? (/[^\S\n]+$/.exec(rest)?.[0] ?? "") : "";
}

function choosing(view: EditorView, step: 1 | -1): boolean {
  const ghost = shown(view.state);
  if (!ghost) return false;
  const count = ghost.items.length;
  view.dispatch(telling(view.state.tr, { is: "choose", index: (ghost.index + step + count) % count }));
  return true;
}

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** What a key does to a suggestion that shows; null for any other key. */
export function meaningOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Press, ghost: Ghost, { firstWord, firstLine }: GhostAround, onWhole: OnWhole): ((view: EditorView) => boolean) | null {
  if (altKey || shiftKey || (ctrlKey && metaKey)) return null;
  const taking = (part: (rest: string) => string) => (view: EditorView) => take(view, part, onWhole);
  const meanings: Record<string, (view: EditorView) => boolean> =
    ctrlKey || metaKey
      ? { ArrowRight: taking(firstWord), End: taking(firstLine) }
      : {
          Tab: taking((rest) => rest),
          ...(ghost.asked && { Enter: taking((rest) => rest), ArrowRight: taking((rest) => rest) }),
          ArrowUp: (view) => choosing(view, -1),
          ArrowDown: (view) => choosing(view, 1),
          Escape: dismissing,
          ArrowLeft: dismissing,
        };
  return meanings[key] ?? null;
}
