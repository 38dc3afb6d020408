/** What is shown of a text that is too large to be edited: one part of it, with the numbers that its lines have in the file. */
import { EditorState, type Extension } from "@codemirror/state";
import { lineNumbers } from "@codemirror/view";

export interface ShownPart {
  number: number;
  /** The number of its first line in the file. */
  firstLine: number;
}

/** How many lines of the file come before those shown. */
export function linesBefore(part: ShownPart | undefined): number {
  return part ? part.firstLine - 1 : 0;
}

export function numberedLines(part: ShownPart | undefined): Extension {
  return lineNumbers({ formatNumber: (number) => String(number + linesBefore(part)) });
}

/** Lines are what the server counts as such: a lone carriage return is none. */
export function linesAsCounted(part: ShownPart | undefined): Extension {
  return part ? EditorState.lineSeparator.of("\n") : [];
}
