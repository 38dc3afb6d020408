/** The shown text as the rest of the page may ask of it. */
import type { Selection, ThreadPlace, Verdict } from "../../api";
import type { Overview } from "./outline.svelte";

/** A form of a text, as commands ask for it. */
export type Format =
  | "bold" | "italic" | "code" | "strikethrough" | "link" | "bullets" | "numbers" | "tasks" | "quote" | "paragraph"
  | `heading-${"1" | "2" | "3" | "4" | "5" | "6"}`;

export interface Viewer {
  openFind(): void;
  openReplace(): void;
  /** Asks for a suggestion at the cursor. */
  suggest(): void;
  findAgain(step: 1 | -1): void;
  /** What stands where, and where the cursor is. */
  overview(): Promise<Overview>;
  goTo(line: number, column: number): void;
  focus(): void;
  /** Whether a form can be given to what is selected now. */
  canFormat(wanted: Format): boolean;
  format(wanted: Format): void;
  /** Puts a text at the cursor, as one step that can be undone. */
  insert(text: string): void;
  /** The selected passage with what stands around it; null when nothing is selected. */
  passage(): Selection | null;
  /** Where the selection is in the text; null when nothing is selected. */
  selected(): Selected | null;
  /** Puts away what stands beside the selection. */
  dismissSelection(): void;
  /** The text as it shows. */
  readonly text: string;
  /** Goes to the next or previous edit that waits for review. */
  goToEdit(step: 1 | -1): void;
  /** Accepts or rejects the edit at the cursor. */
  decideHere(verdict: Verdict): void;
  /** The threads of the text. */
  readonly threads: TextThreads;
}

/** The threads of the shown text as the rest of the page may ask of them. */
export interface TextThreads {
  /** The selected passage, to begin a thread at; null when nothing is selected. */
  selected(): { path: string; text: string; line: number; place: ThreadPlace; where(): { start: number; end: number; text: string } | null } | null;
  /** The thread at the cursor. */
  here(): string | null;
  /** Goes to the next or previous one, and tells which it is. */
  step(step: 1 | -1): string | null;
}

/** A passage by its place in the live text, or by letters of a Word document's paragraphs; in UTF-16 units. */
export type Selected = { path: string; start: number; end: number } | { path: string; passage: { paragraph: number; start: number; last: number; end: number } };
