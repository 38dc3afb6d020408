/** Fuzzy matching of a few typed letters against a title, for lists the page holds itself. */

export interface Match {
  score: number;
  /** Indexes of the matched letters. */
  positions: number[];
}

/** The best of a plain part and scattered letters; null when the letters do not occur in order. */
export function matchText(query: string, text: string): Match | null {
  const wanted = query.trim().toLowerCase();
  const lower = text.toLowerCase();
  if (wanted === "") return { score: 0, positions: [] };
  const at = lower.indexOf(wanted);
  if (at >= 0) {
    const positions = Array.from(wanted, (_, index) => at + index);
    return { score: (isWordStart(lower, at) ? 1000 : 500) - at, positions };
  }
  return scattered(wanted, lower);
}

/** Letters that each begin a word, or follow the letter before: "gtf" finds "Go to file". */
function scattered(wanted: string, lower: string): Match | null {
  const positions: number[] = [];
  let from = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    const at = lower[from] === letter && from > 0 ? from : nextWordStart(lower, letter, from);
    if (at < 0) return null;
    positions.push(at);
    from = at + 1;
  }
  return { score: 100 - (positions.at(-1) ?? 0), positions };
}

function nextWordStart(text: string, letter: string, from: number): number {
  let at = text.indexOf(letter, from);
  while (at >= 0 && !isWordStart(text, at)) at = text.indexOf(letter, at + 1);
  return at;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s/_.-]/.test(text[at - 1] ?? "");
}

export interface Run {
  text: string;
  hit: boolean;
}

/** Cuts a text into runs of matched and other letters. */
export function runsOf(text: string, positions: readonly number[]): Run[] {
  const hits = new Set(positions);
  const runs: Run[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const hit = hits.has(index);
    const last = runs.at(-1);
    if (last?.hit === hit) last.text += text.charAt(index);
    else runs.push({ text: text.charAt(index), hit });
  }
  return runs;
}

/** The items that match, best first; those of one score keep their order. */
export function ranked<T>(items: readonly T[], query: string, title: (item: T) => string): [T, number[]][] {
  return items
    .flatMap((item) => {
      const match = matchText(query, title(item));
      return match ? [{ item, match }] : [];
    })
    .sort((a, b) => b.match.score - a.match.score)
    .map(({ item, match }) => [item, match.positions]);
}
