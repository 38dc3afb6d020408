/** What a dialog about files asks: the name of something new, another name, or another place. */
import type { LinkChanges, NewFileKind } from "../../api";

export type FileAsked =
  | { kind: "new"; what: NewFileKind; folder: string; name?: string }
  | { kind: "rename"; path: string }
  | { kind: "move"; path: string };

/** A move that waits for a word on the links that would follow it. */
export interface LinksAsked {
  path: string;
  newPath: string;
  links: LinkChanges;
}

export function linkCount(texts: LinkChanges["texts"]): number {
  return texts.reduce((sum, { links }) => sum + links.length, 0);
}
