/** The door of notebooks in the editor. */
export type { Cell, CellKind } from "./cells-text";
export { CellEditor, type CellEditorOptions, type CellKeys } from "./cell-editor";
export type { KernelKnowledge } from "./code-help";
export { type NotebookAround, NotebookViewer } from "./notebook-viewer";
export { type CellEdit, type GoneCells, NotebookText } from "./notebook-text";
