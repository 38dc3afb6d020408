/** Texts that are too large to be edited: which lines of them are shown. */
import type { TextPart } from "../../api";

/** The number of the last line that a part holds. */
export function lastLineOf({ text, firstLine }: Pick<TextPart, "text" | "firstLine">): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return firstLine + lines - (text.endsWith("\n") ? 1 : 0);
}

/** Whether a line is in a part; those after the end of the file are in its last one. */
export function hasLine(part: TextPart, line: number): boolean {
  return line >= part.firstLine && (line <= lastLineOf(part) || part.part === part.parts);
}
