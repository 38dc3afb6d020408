/** A text to decide by: letters that can't be seen, or that turn and hide others, are written out. */

/* Controls, formats, bidirectional marks, tags, unassigned, and every space but the plain one; and what fonts show as nothing. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

export function exactText(text: string): string {
  return text.replace(UNSEEN, (letter) => (letter === "\n" || letter === "\t" ? letter : escaped(letter)));
}

/* What is never there to be seen. Joiners and variations are, in emoji and in many scripts. */
const HIDDEN = /[^\P{Cc}\n\r\t]|[\u00ad\u115f\u1160\u200b\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/u;

/** Whether a text that somebody sends as their own holds what they can't see. */
export function hidesLetters(text: string): boolean {
  return HIDDEN.test(text);
}

/** A letter as terminals are shown it, too: \u202e. */
function escaped(letter: string): string {
  if (letter === "\r") return "\\r";
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

const MOST_LINES = 12;
const MOST_LETTERS = 1200;

export interface FoldedText {
  /** What is shown at first. */
  readonly head: string;
  /** What is not: "40 more lines"; null when nothing is. */
  readonly more: string | null;
}

/** The beginning of a text, and how much more there is. */
export function folded(text: string): FoldedText {
  const lines = text.split("\n");
  const head = lines.slice(0, MOST_LINES).join("\n");
  if (head.length <= MOST_LETTERS) {
    const left = lines.length - MOST_LINES;
    return { head, more: left > 0 ? counted(left, "line") : null };
  }
  const shown = head.slice(0, MOST_LETTERS);
  const left = lines.length - shown.split("\n").length;
  return { head: shown, more: left > 0 ? counted(left, "line") : counted(text.length - MOST_LETTERS, "character") };
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} more ${what}${count === 1 ? "" : "s"}`;
}
