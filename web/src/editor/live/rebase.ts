/** Changes that were made on an earlier text, for a text that has been changed otherwise since. */

/** Lines of the earlier text, and what stands in their place. */
interface LineChange {
  from: number;
  to: number;
  lines: readonly string[];
}

interface Place {
  from: number;
  to: number;
  insert: string;
}

/** So many differing lines are compared one by one; beyond, one change has them all. */
const MOST = 1_000;

/**
 * What to change in `theirs` to have what was changed from `base` to `mine`, back to front; null when both changed the same
 * lines. What is in both already is left alone: nothing comes twice.
 */
export function rebased(base: string, mine: string, theirs: string): Place[] | null {
  const old = base.split("\n");
  const ours = changesOf(old, mine.split("\n"));
  const others = changesOf(old, theirs.split("\n"));
  const starts = startsOf(theirs.split("\n"));
  const places: Place[] = [];
  for (const change of ours) {
    if (others.some((other) => isSame(change, other))) continue;
    if (others.some((other) => meets(change, other))) return null;
    const moved = others.filter((other) => other.to <= change.from).reduce((sum, other) => sum + other.lines.length - (other.to - other.from), 0);
    places.unshift(placeOf(change, moved, starts, theirs.length));
  }
  return places;
}

/** Where whole lines are, as characters: the line break before them goes with the last ones. */
function placeOf({ from, to, lines: fresh }: LineChange, moved: number, starts: readonly number[], length: number): Place {
  const begin = starts[from + moved];
  const end = starts[to + moved];
  const text = fresh.join("\n");
  if (end !== undefined) return { from: begin ?? length, to: end, insert: fresh.length > 0 ? `${text}\n` : "" };
  // The text ends with these lines, and has no break behind them.
  if (begin === undefined) return { from: length, to: length, insert: fresh.length > 0 ? `\n${text}` : "" };
  return fresh.length > 0 ? { from: begin, to: length, insert: text } : { from: Math.max(0, begin - 1), to: length, insert: "" };
}

function startsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function isSame(one: LineChange, other: LineChange): boolean {
  return one.from === other.from && one.to === other.to && one.lines.join("\n") === other.lines.join("\n");
}

/** Whether two changes are of the same lines, or put theirs at the same place. */
function meets(one: LineChange, other: LineChange): boolean {
  return one.from === other.from || (one.from < other.to && other.from < one.to);
}

/** The changes between two texts, line by line, in order. */
function changesOf(old: readonly string[], fresh: readonly string[]): LineChange[] {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail];
  if (head === oldEnd && head === freshEnd) return [];
  const [rows, columns] = [oldEnd - head, freshEnd - head];
  if (rows > MOST || columns > MOST) return [{ from: head, to: oldEnd, lines: fresh.slice(head, freshEnd) }];
  return spans(old.slice(head, oldEnd), fresh.slice(head, freshEnd)).map(({ from, to, lines }) => ({ from: from + head, to: to + head, lines }));
}

/** The changes between short texts by their longest common part. */
function spans(old: readonly string[], fresh: readonly string[]): LineChange[] {
  const longest = commonParts(old, fresh);
  const found: LineChange[] = [];
  let open: { from: number; first: number } | null = null;
  let [row, column] = [0, 0];
  const end = () => {
    if (open) found.push({ from: open.from, to: row, lines: fresh.slice(open.first, column) });
    open = null;
  };
  while (row < old.length || column < fresh.length) {
    if (row < old.length && old[row] === fresh[column]) {
      end();
      [row, column] = [row + 1, column + 1];
      continue;
    }
    open ??= { from: row, first: column };
    if (longest(row + 1, column) >= longest(row, column + 1)) row += 1;
    else column += 1;
  }
  end();
  return found;
}

/** How many lines two texts have in common from two lines on; less than none where a text has ended. */
function commonParts(old: readonly string[], fresh: readonly string[]): (row: number, column: number) => number {
  const width = fresh.length + 1;
  const counts = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => (row > old.length || column > fresh.length ? -1 : (counts[row * width + column] ?? 0));
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      counts[row * width + column] = old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return at;
}
