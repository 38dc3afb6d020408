/** The door of the editor. Imported lazily: it brings CodeMirror and Yjs. */
export { BrowserUnsent } from "./live/unsent-store";
export { DocumentSync, type SocketLike } from "./live/sync";
export { type LiveText, type TextStatus } from "./live/live-text";
export type { GhostRequest, GhostSettings, GhostSource, Outcome, Suggestion } from "./ghost";
export type { Authored, AuthorLook } from "./authorship";
export type { CitingAround } from "./citing";
export type { BarPlace, Resting } from "./selection";
export type { NotesAround, PastingAround } from "./writing";
export type { Diagram, NamedPicture, NoteShown, RenderedOptions } from "./rendered";
export type { Counts } from "./reading/counting";
export type { ReviewAround, ViewedText } from "./surroundings";
export type { ThreadLook, ThreadsAround } from "./threads";
export { TextViewer } from "./viewer";
export { type NotebookAround, NotebookViewer, type Cell, CellEditor, type CellEdit, type CellEditorOptions, type CellKeys, type CellKind, type GoneCells, NotebookText } from "./notebook";
