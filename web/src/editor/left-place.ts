/** Where a text was left, by its lines, so that a change elsewhere in it moves little; and back there. */
import { ensureSyntaxTree, foldable, foldedRanges, foldEffect } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { isMarkdown, nameOf } from "./facts";

/** Where texts were left when the page was here last. */
export interface PlacesAround {
  of(path: string): LeftPlace | null;
  note(path: string, place: LeftPlace): void;
}

/** Lines and columns count from 1. */
export interface LeftPlace {
  line: number;
  column: number;
  top: number;
  folded: readonly number[];
}

const MOST_FOLDS = 500;
const PARSE_MS = 100;
const MOST_PROPERTIES = 500;

/** Brings a view back to where each text was left. A part of a large text is not remembered. */
export class LeftPlaces {
  readonly #view: EditorView;
  readonly #around: PlacesAround | undefined;
  /** Whose folds wait for its language. */
  #waiting: string | null = null;

  constructor(view: EditorView, around: PlacesAround | undefined) {
    this.#view = view;
    this.#around = around;
  }

  /** A text shows for the first time since the page was loaded. */
  comeBack({ path, part }: { path: string; part?: object | undefined }): void {
    const place = part ? null : (this.#around?.of(path) ?? null);
    this.#waiting = place ? path : null;
    if (place) goBackTo(this.#view, place);
  }

  /** The language of the shown text is here. */
  foldAgain(path: string | null): void {
    const place = path === null || path !== this.#waiting ? null : this.#around?.of(path);
    if (!place) return;
    this.#waiting = null;
    foldAgain(this.#view, place);
  }

  note(path: string, part: object | undefined): void {
    if (!part) this.#around?.note(path, placeIn(this.#view));
  }
}

/** Where the cursor is in a text that nobody has been to: in a note's front matter it would show the source of its properties. */
export function beginningOf({ path, part }: { path: string; part?: object | undefined }, doc: Text): number {
  return !part && isMarkdown(nameOf(path)) ? behindProperties(doc) : 0;
}

function behindProperties(doc: Text): number {
  if (doc.line(1).text.trimEnd() !== "---") return 0;
  for (let number = 2; number < Math.min(doc.lines, MOST_PROPERTIES); number += 1) if (/^(?:---|\.\.\.)\s*$/.test(doc.line(number).text)) return doc.line(number + 1).from;
  return 0;
}

/** Where the person is in a text. */
function placeIn(view: EditorView): LeftPlace {
  const { doc, selection } = view.state;
  const { number, from } = doc.lineAt(selection.main.head);
  const first = view.lineBlockAtHeight(Math.max(0, view.scrollDOM.scrollTop - view.documentPadding.top));
  return { line: number, column: selection.main.head - from + 1, top: doc.lineAt(first.from).number, folded: foldedLines(view.state) };
}

function foldedLines(state: EditorState): number[] {
  const { doc } = state;
  const lines: number[] = [];
  foldedRanges(state).between(0, doc.length, (from) => {
    if (lines.length < MOST_FOLDS) lines.push(doc.lineAt(from).number);
  });
  return lines;
}

/** Puts the cursor and the view back where they were left. */
function goBackTo(view: EditorView, { line, column, top }: LeftPlace): void {
  const { doc } = view.state;
  const lineAt = (number: number) => doc.line(Math.min(number, doc.lines));
  const at = lineAt(line);
  view.dispatch({ selection: { anchor: Math.min(at.to, at.from + column - 1) }, effects: EditorView.scrollIntoView(lineAt(top).from, { y: "start" }) });
}

/** Folds what was folded, once the language says what can be. */
function foldAgain(view: EditorView, { folded }: LeftPlace): void {
  const { state } = view;
  if (folded.length === 0) return;
  ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  const effects = folded.flatMap((number) => {
    if (number > state.doc.lines) return [];
    const { from, to } = state.doc.line(number);
    const range = foldable(state, from, to);
    return range ? [foldEffect.of(range)] : [];
  });
  if (effects.length > 0) view.dispatch({ effects });
}
