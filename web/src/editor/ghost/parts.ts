/** Cuts a suggestion into parts that can be taken one by one. Put together again, the parts are the suggestion. */

/** White space, then a word with the sign that closes it, or a run of signs. */
const WORD = /^\s*(?:[\p{L}\p{M}\p{N}_]+(?:['’-][\p{L}\p{M}\p{N}_]+)*[.,;:!?…)\]»”"]*|[^\p{L}\p{M}\p{N}_\s]+)/u;
const LINE = /^\n*[^\n]*/;
/** Scripts that put no space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The first word with the white space before it; everything when only white space is left. */
export function firstWord(text: string): string {
  const found = WORD.exec(text)?.[0] ?? text;
  return UNSPACED.test(found) ? firstSegment(found) : found;
}

/** The first line, with the line break before it. */
export function firstLine(text: string): string {
  return LINE.exec(text)?.[0] ?? text;
}

function firstSegment(text: string): string {
  const start = text.length - text.trimStart().length;
  const [first] = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text.slice(start));
  return text.slice(0, start) + (first?.segment ?? text.slice(start));
}
