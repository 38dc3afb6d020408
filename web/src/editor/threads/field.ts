/** The passages of threads in a text: marked by status, carried through every change. */
import { type EditorState, Facet, type Range, type RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { type PartShown, type Place, type Span, spanIn, type ThreadText } from "./places";

/** One thread as the page wants it shown. */
export interface ThreadLook {
  readonly id: string;
  readonly place: Place;
  readonly status: string;
  readonly isOpen: boolean;
  /** What its dot is called; null: it has none. */
  readonly name: string | null;
}

/** What a text shows of its threads. */
export interface SeenThreads {
  /** On which line each of them is, from 1; null where the passage is gone. */
  readonly lines: ReadonlyMap<string, number | null>;
  readonly epoch: string;
  /** The text has changed since this was told last. */
  readonly isEdited: boolean;
  /** Whether some words stand in the text. */
  readonly holds: (words: string) => boolean;
}

/** What the page does with the threads of a text. */
export interface ThreadsAround {
  open: (id: string) => void;
  openAll: () => void;
  onSeen: (path: string, seen: SeenThreads) => void;
}

export interface ThreadContext {
  readonly live: ThreadText;
  readonly around: ThreadsAround;
  readonly part?: PartShown;
}

export const threadContext = Facet.define<ThreadContext, ThreadContext | null>({ combine: ([one]) => one ?? null });

/** Gives the text its threads. */
export const setThreads = StateEffect.define<readonly ThreadLook[]>();

interface Shown {
  readonly looks: ReadonlyMap<string, ThreadLook>;
  readonly marks: RangeSet<Decoration>;
}

export interface FoundThread extends Span {
  readonly look: ThreadLook;
}

const NONE: Shown = { looks: new Map(), marks: Decoration.none };

export const threadField = StateField.define<Shown>({
  create: () => NONE,
  update(value, { effects, changes, docChanged, state }) {
    const given = effects.findLast((effect) => effect.is(setThreads));
    const context = state.facet(threadContext);
    if (given && context) return shownOf(given.value, context, state.doc.length);
    // One step through all of them: a key costs the same with one thread and with hundreds.
    return docChanged && value.marks.size > 0 ? { ...value, marks: value.marks.map(changes) } : value;
  },
  provide: (field) => EditorView.decorations.from(field, ({ marks }): DecorationSet => marks),
});

function shownOf(looks: readonly ThreadLook[], { live, part }: ThreadContext, end: number): Shown {
  const marks: Range<Decoration>[] = [];
  for (const look of looks) {
    const span = spanIn(live, look.place, part);
    if (span && span.to > span.from && span.to <= end) marks.push(markOf(look).range(span.from, span.to));
  }
  return { looks: new Map(looks.map((look) => [look.id, look])), marks: Decoration.set(marks, true) };
}

function markOf({ id, status, isOpen }: ThreadLook): Decoration {
  return Decoration.mark({ class: "thread-mark", attributes: { "data-status": status, ...(isOpen ? { "data-open": "" } : {}) }, thread: id });
}

/** The threads whose passages are within a stretch of the text, in its order. */
export function threadsIn(state: EditorState, from = 0, to = state.doc.length): FoundThread[] {
  const { looks, marks } = state.field(threadField);
  const found: FoundThread[] = [];
  marks.between(from, to, (start, end, { spec }) => {
    const look = looks.get((spec as { thread: string }).thread);
    if (look) found.push({ look, from: start, to: end });
  });
  return found;
}

/** The threads that the text was given, and does not show: their passages are gone, or not here yet. */
export function missingIn(state: EditorState): ThreadLook[] {
  const { looks } = state.field(threadField);
  const shown = new Set(threadsIn(state).map(({ look }) => look.id));
  return [...looks.values()].filter(({ id }) => !shown.has(id));
}

/** The innermost thread whose passage a position is in. */
export function threadAt(state: EditorState, at: number): FoundThread | null {
  const around = threadsIn(state, at, at).filter(({ look }) => look.name !== null);
  return around.sort((one, other) => one.to - one.from - (other.to - other.from))[0] ?? null;
}
