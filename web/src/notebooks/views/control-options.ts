/** What a notebook's control asks of the page around it. */
import type { CellEditor, CellEditorOptions, GhostSource, NotebookAround, NotebookText, NotebookViewer, Resting, ReviewAround, ThreadsAround } from "../../editor";
import type { NotebookState } from "../state/notebook.svelte";

export interface ControlOptions {
  projectId: string;
  text: NotebookText;
  state: NotebookState;
  makeEditor: (place: HTMLElement, options: CellEditorOptions) => CellEditor;
  review: ReviewAround;
  ghost: GhostSource;
  threads: ThreadsAround;
  makeViewer: (around: NotebookAround) => NotebookViewer;
  /** Hears of the selection that rests in a cell, and whose words the cursor is in. */
  onSelection: (cell: string, found: Resting | null) => void;
  onAuthor: NotebookAround["onAuthor"];
  onText: () => void;
  background: (work: Promise<unknown>) => void;
  save: () => void;
  edited: () => void;
  /** Says something about a cell to the AI. */
  ask: (words: string) => void;
  /** The name of a file in a language. */
  filename: (language: string) => string;
}
