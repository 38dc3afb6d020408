/** The door of the editor. Imported lazily: it brings CodeMirror and Yjs. */
export { DocumentSync, type SocketLike } from "./sync";
export { type LiveText, type TextStatus } from "./live-text";
export type { RenderedOptions } from "./rendered";
export { TextViewer, type ViewedText } from "./viewer";
