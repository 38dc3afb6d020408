/** What a dialog about files asks: the name of something new, another name, or another place. */
import type { NewFileKind } from "../../api";

export type FileAsked =
  | { kind: "new"; what: NewFileKind; folder: string }
  | { kind: "rename"; path: string }
  | { kind: "move"; path: string };
