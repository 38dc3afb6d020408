/** The door of notebooks in the editor. */
export type { Cell, CellKind } from "./cells-text";
export { CellEditor, type CellEditorOptions, type CellKeys } from "./cell-editor";
export { type CellEdit, type GoneCells, NotebookText } from "./notebook-text";
