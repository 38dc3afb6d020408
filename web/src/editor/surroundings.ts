/** What the editor is given to show, and what the view around it does for it. */
import type { Listener } from "./beside";
import type { EditorState, StateEffect } from "@codemirror/state";
import type { CitingAround } from "./citing";
import type { Counts } from "./reading/counting";
import type { GhostSource } from "./ghost";
import type { ShownPart } from "./reading/large-text";
import type { PlacesAround } from "./left-place";
import type { LiveText } from "./live/live-text";
import type { NotesAround, PastingAround } from "./writing";
import type { RenderedOptions } from "./rendered";
import type { ReviewOptions, Standing } from "./review";
import type { ThreadsAround } from "./threads";

export interface ViewedText {
  path: string;
  text: string;
  /** Changes when the text does. */
  hash: string;
  /** One step of indentation, where the folder wants one. */
  indent?: string | null;
  /** Of a text that is too large to be edited, this part is shown. */
  part?: ShownPart | undefined;
  /** The text to edit; without it, what was read is shown. */
  live?: LiveText | null;
}

export interface ReviewAround extends ReviewOptions {
  /** Hears how many edits of a text wait, and at which of them the cursor is. */
  onStanding: (path: string, standing: Standing) => void;
}

/** How a text was left. */
export interface Kept {
  state: EditorState;
  hash: string;
  live: LiveText | null;
  part: ShownPart | undefined;
  scroll: StateEffect<unknown> | null;
}

/** What the view around the editor does for it. */
export interface ViewerOptions {
  save?: (path: string) => void;
  /** Hears that the person has changed a text here. */
  edited?: (path: string) => void;
  /** Hears how many words and lines the text shown has, and the selection. */
  count?: (path: string, counts: Counts) => void;
  rendered?: RenderedOptions;
  review?: ReviewAround;
  /** Who suggests how a text goes on. */
  ghost?: GhostSource;
  threads?: ThreadsAround;
  /** The library that a Markdown text cites. */
  citing?: CitingAround;
  /** The folder's notes, for links to them. */
  notes?: NotesAround;
  places?: PlacesAround;
  /** What becomes of pictures and HTML that are pasted into a Markdown text, by its path. */
  pasting?: (path: string) => PastingAround;
  /** Who hears of selections, authors and changes. */
  listener?: Listener;
}
