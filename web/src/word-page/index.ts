/** The door of the page of Word documents: ProseMirror is loaded with it. */
export { FORMS, insertPageBreak, type MarkName, setParagraphs, toggleFormat, toggleList, toggleScript } from "./commands";
export type { Block, Edit, PageStyle } from "./model";
export type { GhostAround, GhostSource } from "./suggestion-commands";
export type { Conflict, Frame, Page, Splice, Standing } from "./session";
export { type AroundCursor, drawBlocks, WordViewer, type ViewerOptions } from "./viewer";
