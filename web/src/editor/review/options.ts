/** What reviewing asks of the text it is about, and of the page around the editor. */
import { type EditorState, Facet } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Hunk, Old, Table } from "./edits";
import type { By } from "./wire";
import type { Span } from "./words";

export type Verdict = "accept" | "reject";

/** A text with edits that wait. */
export interface ReviewSource {
  /** The review they belong to; null while nothing waits. */
  readonly review: string | null;
  /** What waits, at its places now. */
  hunks(): readonly Hunk[];
  /** Where a position is later, whatever is written around it. */
  follow(at: number): () => number;
  /** Calls back when something else waits, or is somewhere else; the answer stops that. */
  onReview(call: () => void): () => void;
}

/** How far the reviewing of a text is. */
export interface Standing {
  readonly count: number;
  /** The edit at the cursor, from 1; 0 where there is none. */
  readonly current: number;
}

export interface ReviewOptions {
  /** Keeps or takes back hunks of a review. "changed": they are not there any more as they were; "failed": people were told why. */
  decide: (review: string, hunks: readonly string[], verdict: Verdict) => Promise<"done" | "changed" | "failed">;
  /** Who made an edit and when, in words. */
  author: (by: readonly By[]) => string;
}

/** What stands before and behind a passage in its block. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/** A passage that went, as it reads. */
export interface OldAsRead {
  lines: () => readonly HTMLElement[];
  /** A stretch of one of its lines, by places in the passage. */
  fill: (place: HTMLElement, from: number, to: number) => void;
}

/** How the passages that went are drawn as they read. */
export interface Reading {
  /** What stands around lines of the text, or around a place between them. */
  around: (state: EditorState, from: number, to: number) => Around;
  aroundRows: (state: EditorState, table: Table) => Around;
  draw: (view: EditorView, old: Old, around: Around, isRows: boolean) => OldAsRead;
}

export interface Reviewing extends ReviewOptions {
  readonly source: ReviewSource;
  /** Lines of code are set as such, not as prose. */
  readonly isCode: boolean;
  /** How what went is drawn; null where the source shows. */
  readonly reading: () => Reading | null;
  /** Whether prose is set in the face of code at a position, as in its tables and code blocks. */
  readonly isSetAsCode: (state: EditorState, at: number) => boolean;
  /** For each passage the drawn table that it is inside of. */
  readonly tablesOf: (state: EditorState, passages: readonly Span[]) => readonly (Table | null)[];
  /** Where the texts of the cells of a row are in it. */
  readonly cellsOf: (row: string) => readonly Span[];
}

export const reviewing = Facet.define<Reviewing, Reviewing | null>({ combine: (given) => given[0] ?? null });
