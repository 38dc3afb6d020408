/** Which words differ between two passages, for the eye: bounded in time, and not torn into crumbs. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface WordChange {
  /** What of the old passage is gone, and what of the new one is new, in places of each. */
  readonly removed: readonly Span[];
  readonly added: readonly Span[];
}

/** Above this many comparisons, or characters, two passages count as wholly different. */
const MOST = 250_000;
const LONGEST = 20_000;
const TOKEN = /[\p{L}\p{N}\p{M}_]+|\s+|./gsu;

interface Token extends Span {
  readonly text: string;
}

/** What was compared lately: typing compares the same passages again at each key. */
const known = new Map<string, WordChange>();
const KNOWN_MOST = 2000;

/** Compares two passages word by word. */
export function changedWords(old: string, fresh: string): WordChange {
  const key = `${old}\0${fresh}`;
  const before = known.get(key);
  if (before) return before;
  if (known.size >= KNOWN_MOST) known.clear();
  const change = compared(old, fresh);
  known.set(key, change);
  return change;
}

function compared(old: string, fresh: string): WordChange {
  if (old.length + fresh.length > LONGEST) return { removed: all(old), added: all(fresh) };
  const before = tokensOf(old);
  const after = tokensOf(fresh);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start]?.text === after[start]?.text) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end)?.text === after.at(-1 - end)?.text) end += 1;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  if (left.length * right.length > MOST) return { removed: between(left), added: between(right) };
  const kept = common(left, right);
  return { removed: byLine(old, runs(left, kept.left)), added: byLine(fresh, runs(right, kept.right)) };
}

function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => ({ text: token, from: index, to: index + token.length }));
}

/** Runs over several lines are marked in each, without the space around; one that is only space is marked as it is. */
function byLine(text: string, found: readonly Span[]): Span[] {
  return found.flatMap(({ from, to }) => {
    const run = text.slice(from, to);
    if (run.trim() === "") return [{ from, to }];
    return Array.from(run.matchAll(/\S(?:[^\n]*\S)?/g), ({ 0: part, index }) => ({ from: from + index, to: from + index + part.length }));
  });
}

function all(text: string): Span[] {
  return text === "" ? [] : [{ from: 0, to: text.length }];
}

function between(tokens: readonly Token[]): Span[] {
  const [first, last] = [tokens[0], tokens.at(-1)];
  return first && last ? [{ from: first.from, to: last.to }] : [];
}

/** The longest common sequence of tokens, as the places that take part on each side. */
function common(left: readonly Token[], right: readonly Token[]): { left: Set<number>; right: Set<number> } {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const same = left[row]?.text === right[column]?.text;
      lengths[row * width + column] = same ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const kept = { left: new Set<number>(), right: new Set<number>() };
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row]?.text === right[column]?.text) {
      kept.left.add(row);
      kept.right.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

/** Neighbouring changes as one run: a space or a comma between two changed words does not part them. */
function runs(tokens: readonly Token[], kept: ReadonlySet<number>): Span[] {
  const found: Span[] = [];
  let parted = true;
  tokens.forEach(({ text, from, to }, index) => {
    const last = found.at(-1);
    if (kept.has(index)) parted ||= /[\p{L}\p{N}\n]/u.test(text);
    else {
      if (last && !parted) found[found.length - 1] = { from: last.from, to };
      else found.push({ from, to });
      parted = false;
    }
  });
  return found;
}
