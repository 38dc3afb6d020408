/** The lines in which two texts differ, with a few lines around each change. */

export interface DiffLine {
  kind: "same" | "added" | "removed" | "place";
  text: string;
}

/** Lines kept around a change. */
const AROUND = 3;
/** Above this many changed lines two texts are told as one change: finer would take too long. */
const DEEPEST = 1500;

/** A text as the editor has it: how lines end, and the mark of an encoding, are not its words. */
export function plain(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
}

/** The lines of a text; the end of the last line begins no new one. */
function linesOf(text: string): string[] {
  const words = plain(text);
  return words === "" ? [] : words.replace(/\n$/, "").split("\n");
}

/** How one text becomes the other; empty when they are the same. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const middle = compare(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  return folded([...same(old.slice(0, head)), ...middle, ...same(tail === 0 ? [] : old.slice(-tail))]);
}

function same(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind: "same", text }));
}

function whole(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  return [...old.map((text): DiffLine => ({ kind: "removed", text })), ...fresh.map((text): DiffLine => ({ kind: "added", text }))];
}

/** The shortest way from one list to the other: for each number of changes, how far each diagonal reaches. */
function compare(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length === 0 || fresh.length === 0) return whole(old, fresh);
  const deepest = Math.min(DEEPEST, old.length + fresh.length);
  const reach = new Reach(deepest);
  const trail: Reach[] = [];
  for (let depth = 0; depth <= deepest; depth += 1) {
    trail.push(reach.copy());
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const before = reach.before(diagonal, depth);
      let x = before.isAdded ? before.x : before.x + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return wayBack(trail, old, fresh);
    }
  }
  return whole(old, fresh);
}

/** How far into the old list each diagonal goes. A diagonal is the difference of the places in both lists. */
class Reach {
  readonly #deepest: number;
  readonly #far: Int32Array;

  constructor(deepest: number, far = new Int32Array(2 * deepest + 3)) {
    this.#deepest = deepest;
    this.#far = far;
  }

  copy(): Reach {
    return new Reach(this.#deepest, this.#far.slice());
  }

  set(diagonal: number, x: number): void {
    this.#far[this.#deepest + 1 + diagonal] = x;
  }

  get(diagonal: number): number {
    return this.#far[this.#deepest + 1 + diagonal] ?? 0;
  }

  /** From where a diagonal is reached: by taking a new line in, or by leaving an old one out. */
  before(diagonal: number, depth: number): { x: number; y: number; isAdded: boolean } {
    const isAdded = diagonal === -depth || (diagonal !== depth && this.get(diagonal - 1) < this.get(diagonal + 1));
    const from = isAdded ? diagonal + 1 : diagonal - 1;
    return { x: this.get(from), y: this.get(from) - from, isAdded };
  }
}

function wayBack(trail: readonly Reach[], old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = old.length;
  let y = fresh.length;
  for (const [depth, reach] of [...trail.entries()].reverse()) {
    const before = reach.before(x - y, depth);
    for (; x > before.x && y > before.y && x > 0; x -= 1, y -= 1) lines.push({ kind: "same", text: old[x - 1] ?? "" });
    if (depth > 0) lines.push(before.isAdded ? { kind: "added", text: fresh[y - 1] ?? "" } : { kind: "removed", text: old[x - 1] ?? "" });
    x = before.x;
    y = before.y;
  }
  return lines.reverse();
}

/** Leaves out what is the same far from any change, and says where. */
function folded(lines: readonly DiffLine[]): DiffLine[] {
  const near = lines.map(() => false);
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let beside = Math.max(0, index - AROUND); beside <= Math.min(lines.length - 1, index + AROUND); beside += 1) near[beside] = true;
  });
  const kept: DiffLine[] = [];
  let number = 0;
  lines.forEach((line, index) => {
    if (line.kind !== "removed") number += 1;
    if (!near[index]) return;
    if (!near[index - 1]) kept.push({ kind: "place", text: `Line ${String(Math.max(1, line.kind === "removed" ? number + 1 : number))}` });
    kept.push(line);
  });
  return kept;
}
