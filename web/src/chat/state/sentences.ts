/** Cuts a growing text into whole sentences, so that a screen reader hears sentences and not pieces of words. */

/** The whole sentences after a place, and the place after them. */
export function finishedSentences(text: string, from: number, isOver: boolean): { spoken: string; upTo: number } {
  if (isOver) return { spoken: plain(text.slice(from)), upTo: text.length };
  const ends = [...text.slice(from).matchAll(/[.!?…:]["”’)\]*_`]*\s|\n+/g)];
  const last = ends.at(-1);
  if (!last) return { spoken: "", upTo: from };
  const upTo = from + last.index + last[0].length;
  return { spoken: plain(text.slice(from, upTo)), upTo };
}

/** Markdown without its signs, as far as hearing them would only disturb. */
function plain(text: string): string {
  return text.replace(/```\w*|[*_`#>|]/g, "").replace(/\s+/g, " ").trim();
}
