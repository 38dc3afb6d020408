/** Long printed texts are shown by their first and last lines. */
export const SHOWN_LINES = 60;
const HEAD_LINES = 40;
const TAIL_LINES = 10;

export interface Folded {
  readonly head: string;
  readonly hidden: number;
  readonly tail: string;
}

/** A text in two parts with how many lines are between them; null when it is short enough. */
export function folded(text: string): Folded | null {
  const lines = text.split("\n");
  if (lines.length <= SHOWN_LINES) return null;
  return {
    head: lines.slice(0, HEAD_LINES).join("\n"),
    hidden: lines.length - HEAD_LINES - TAIL_LINES,
    tail: lines.slice(-TAIL_LINES).join("\n"),
  };
}
