/** Edits as the eye takes them in: hunks that share a line or a table are one, with what went and what came. */
import type { Text } from "@codemirror/state";
import { changedWords, type Span } from "./words";
import type { By } from "./wire";

/** A hunk at its place in the text: what stands from `from` to `to` is new, `old` stood there. */
export interface Hunk extends Span {
  readonly id: string;
  readonly old: string;
  readonly by: readonly By[];
}

/** A table that is drawn as one, with how its columns are aligned. */
export interface Table extends Span {
  readonly alignments: readonly string[];
}

/** One edit as it is shown and decided. */
export interface Edit {
  readonly hunks: readonly string[];
  readonly by: readonly By[];
  /** One, but for tables: there every changed row is one. */
  readonly parts: readonly [Part, ...Part[]];
  readonly table: Table | null;
}

export interface Part {
  /** The whole lines that are new or hold new words; null where lines only went. */
  readonly lines: Span | null;
  /** The new words in them. */
  readonly added: readonly Span[];
  /** The lines as they were, and the words of them that went; null where nothing went. */
  readonly old: Old | null;
  /** Where lines that only went have stood: at the start of a line or at its end. */
  readonly place: number;
  /** They stood after the line of the place, not before it. */
  readonly isAfter: boolean;
}

export interface Old {
  readonly text: string;
  readonly removed: readonly Span[];
}

/** The edits that some hunks make of a text, in its order. The tables are those that the hunks are in. */
export function editsOf(doc: Text, hunks: readonly Hunk[], tables: readonly (Table | null)[] = []): Edit[] {
  const order = hunks.map((hunk, at) => ({ hunk: aligned(doc, hunk), table: tables[at] ?? null })).sort((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to);
  const edits: Edit[] = [];
  for (const group of groupsOf(doc, order.map(({ hunk }) => hunk))) {
    const table = order.find(({ hunk }) => hunk === group[0])?.table ?? null;
    const edit = { hunks: group.map(({ id }) => id), by: distinct(group.flatMap(({ by }) => by)), parts: [partOf(doc, group)] as const, table };
    const last = edits.at(-1);
    if (last?.table && last.table.from === table?.from) edits[edits.length - 1] = together(last, edit);
    else edits.push(edit);
  }
  return edits;
}

/** Whole lines that came or went may be told from the middle of one to the middle of the next: they are shown from the start. */
function aligned(doc: Text, hunk: Hunk): Hunk {
  const { from, to, old } = hunk;
  const text = old === "" ? doc.sliceString(from, to) : from === to ? old : "";
  const head = doc.sliceString(doc.lineAt(from).from, from);
  if (head === "" || !text.includes("\n") || !text.endsWith(`\n${head}`)) return hunk;
  return { ...hunk, from: from - head.length, to: to - head.length, old: old === "" ? "" : head + old.slice(0, -head.length) };
}

function together(one: Edit, other: Edit): Edit {
  return { hunks: [...one.hunks, ...other.hunks], by: distinct([...one.by, ...other.by]), parts: [...one.parts, ...other.parts], table: one.table };
}

type Group = readonly [Hunk, ...Hunk[]];

/** Hunks that share a line. Lines that only went stand between lines: they share none with anybody. */
function groupsOf(doc: Text, sorted: readonly Hunk[]): Group[] {
  const groups: Group[] = [];
  let end = -1;
  for (const hunk of sorted) {
    const last = groups.at(-1);
    const isInside = shapeOf(doc, [hunk]).kind === "inside";
    if (last && isInside && doc.lineAt(hunk.from).from <= end) groups[groups.length - 1] = [...last, hunk];
    else groups.push([hunk]);
    if (isInside) end = Math.max(end, doc.lineAt(hunk.to).to);
  }
  return groups;
}

type Kind = "inside" | "before" | "after";

/** Whether hunks change words inside lines, or are lines of their own: before the one they end at, or after the one they begin at. */
function shapeOf(doc: Text, [{ from, to, old }, ...more]: Group): { kind: Kind; from: number; to: number } {
  const fresh = doc.sliceString(from, to);
  const line = doc.lineAt(from);
  const grown = to > from ? 1 : 0;
  if (more.length === 0 && from === line.from && endsLine(old) && endsLine(fresh)) return { kind: "before", from, to: to - grown };
  if (more.length === 0 && from === line.to && startsLine(old) && startsLine(fresh)) return { kind: "after", from: from + grown, to };
  return { kind: "inside", from, to };
}

function endsLine(text: string): boolean {
  return text === "" || text.endsWith("\n");
}

function startsLine(text: string): boolean {
  return text === "" || text.startsWith("\n");
}

function partOf(doc: Text, group: Group): Part {
  const { kind, from, to } = shapeOf(doc, group);
  const [first] = group;
  if (kind === "inside") return { ...inLines(doc, group), place: first.from, isAfter: false };
  const old = kind === "before" ? first.old.slice(0, -1) : first.old.slice(1);
  const isGone = first.to === first.from;
  const change = first.old === "" || isGone ? { removed: [], added: [] } : changedWords(old, doc.sliceString(from, to));
  return {
    lines: isGone ? null : { from: doc.lineAt(from).from, to: doc.lineAt(to).to },
    added: change.added.map((span) => shifted(span, from)),
    old: first.old === "" ? null : { text: isGone ? withoutBlankEnds(old) : old, removed: change.removed },
    place: first.from,
    isAfter: kind === "after",
  };
}

function withoutBlankEnds(text: string): string {
  return text.trim() === "" ? text : text.replace(/^\n+|\n+$/g, "");
}

/** Words changed inside lines: the lines are shown whole, as they were and as they are. */
function inLines(doc: Text, group: Group): Pick<Part, "lines" | "added" | "old"> {
  const start = doc.lineAt(group[0].from).from;
  const added: Span[] = [];
  const removed: Span[] = [];
  let text = "";
  let done = start;
  for (const { from, to, old } of group) {
    text += doc.sliceString(done, from);
    const change = changedWords(old, doc.sliceString(from, to));
    removed.push(...change.removed.map((span) => shifted(span, text.length)));
    added.push(...change.added.map((span) => shifted(span, from)));
    text += old;
    done = to;
  }
  const end = doc.lineAt(done).to;
  text += doc.sliceString(done, end);
  return { lines: { from: start, to: end }, added, old: removed.length === 0 ? null : { text, removed } };
}

function shifted({ from, to }: Span, by: number): Span {
  return { from: from + by, to: to + by };
}

function distinct(by: readonly By[]): By[] {
  return [...new Map(by.map((one) => [one.editId, one])).values()];
}

/** The edit that a position is in; lines that only went count for the line they stand at. */
export function editAt(doc: Text, edits: readonly Edit[], at: number): Edit | null {
  const line = doc.lineAt(at);
  const isIn = ({ lines }: Part) => lines !== null && at >= lines.from && at <= lines.to;
  const isBeside = ({ lines, place }: Part) => lines === null && place >= line.from && place <= line.to;
  return edits.find(({ parts }) => parts.some(isIn)) ?? edits.find(({ parts }) => parts.some(isBeside)) ?? null;
}

/** Where the cursor goes to look at an edit: to its first new word, or to the place of what went. */
export function startOf({ parts: [{ lines, added, place }] }: Edit): number {
  return added[0]?.from ?? lines?.from ?? place;
}
