/** What will be sent, as the server's schema has it. */
import type { NewTurn } from "./chats";
import type { components } from "../generated";

type Schemas = components["schemas"];

export type Preview = Schemas["Preview"];
export type PreviewPart = Schemas["PreviewPart"];
export type PreviewLeftOut = Schemas["PreviewLeftOut"];
export type PartOrigin = PreviewPart["origin"];
export type CacheBreak = Schemas["CacheBreak"];
/** A message that is not sent yet. */
export interface AskPreview {
  /** Null for a chat that has not begun. */
  chatId: string | null;
  /** The earlier message that it would take the place of. */
  edits?: string;
  turn: NewTurn;
  /** Whether every part comes with its text. */
  texts: boolean;
}
