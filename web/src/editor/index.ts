/** The door of the editor. Imported lazily: it brings CodeMirror. */
export { TextViewer, type ViewedText } from "./viewer";
