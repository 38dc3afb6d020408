/** What reviewing asks of the text it is about, and of the page around the editor. */
import { type EditorState, Facet } from "@codemirror/state";
import type { Hunk, Table } from "./edits";
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

export interface Reviewing extends ReviewOptions {
  readonly source: ReviewSource;
  /** Lines of code are set as such, not as prose. */
  readonly isCode: boolean;
  /** Whether prose is set in the face of code at a position, as in its tables and code blocks. */
  readonly isSetAsCode: (state: EditorState, at: number) => boolean;
  /** For each passage the drawn table that it is inside of. */
  readonly tablesOf: (state: EditorState, passages: readonly Span[]) => readonly (Table | null)[];
  /** Where the texts of the cells of a row are in it. */
  readonly cellsOf: (row: string) => readonly Span[];
}

export const reviewing = Facet.define<Reviewing, Reviewing | null>({ combine: (given) => given[0] ?? null });
