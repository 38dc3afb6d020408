/** Collects how a part of a document is drawn: what is hidden, marked, replaced, and how its lines look. */
import type { EditorState, Range, RangeSet } from "@codemirror/state";
import { BlockWrapper, Decoration, type DecorationSet, type WidgetType } from "@codemirror/view";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Drawing {
  readonly inner: DecorationSet;
  /** Table cells: they hold all other marks. */
  readonly cells: DecorationSet;
  readonly wrappers: RangeSet<BlockWrapper>;
  /** What the cursor crosses in one step: the space between table cells. */
  readonly atoms: DecorationSet;
  /** Where lines start that the cursor would pass over on its way up: not shown, or too thin. */
  readonly passed: ReadonlySet<number>;
}

export const emptyDrawing: Drawing = { inner: Decoration.none, cells: Decoration.none, wrappers: BlockWrapper.set([]), atoms: Decoration.none, passed: new Set() };

/** How one line looks. Depths of lists and quotes add up to its indentation. */
export class LineLook {
  readonly classes = new Set<string>();
  attributes: Readonly<Record<string, string>> = {};
  quote = 0;
  list = 0;
  /** The first line of a list item hangs out of it by the width of its mark. */
  hangs = false;
  /** Lines of code, formulas and the like keep their blank lines as high as others. */
  verbatim = false;
  collapsed = false;
  thin = false;

  decoration(): Decoration | null {
    const names = [...this.classes];
    if (this.quote > 0) names.push("cm-quote");
    if (this.list > 0) names.push(this.hangs ? "cm-item cm-item-first" : "cm-item");
    if (this.collapsed) names.push("cm-collapsed");
    if (this.thin) names.push("cm-thin");
    if (names.length === 0) return null;
    const depths = [this.quote > 0 ? `--quote: ${String(this.quote)}` : "", this.list > 0 ? `--list: ${String(this.list)}` : ""].filter(Boolean).join("; ");
    return Decoration.line({ attributes: { class: names.join(" "), ...(depths ? { style: depths } : {}), ...this.attributes } });
  }
}

const hidden = Decoration.replace({});
const atom = Decoration.mark({});

export class Sheet {
  readonly #replaced: Range<Decoration>[] = [];
  readonly #marks = new Map<string, Range<Decoration>>();
  readonly #cells: Range<Decoration>[] = [];
  readonly #wrappers: Range<BlockWrapper>[] = [];
  readonly #atoms: Range<Decoration>[] = [];
  readonly #lines = new Map<number, LineLook>();

  constructor(
    readonly state: EditorState,
    /** Where syntax shows: at the cursors, in selections. */
    readonly places: readonly Span[],
  ) {}

  /** Whether a cursor stands in or at a range, or a selection reaches it. */
  touches(from: number, to: number): boolean {
    return this.places.some((place) => place.from <= to && place.to >= from);
  }

  lineTouched(at: number): boolean {
    const line = this.state.doc.lineAt(at);
    return this.touches(line.from, line.to);
  }

  /** Hides a range, but no line break in it. */
  hide(from: number, to: number): void {
    const { doc } = this.state;
    for (let at = from; at < to; at = doc.lineAt(at).to + 1) {
      const end = Math.min(to, doc.lineAt(at).to);
      if (end > at) this.#replaced.push(hidden.range(at, end));
    }
  }

  /** Shows a widget in place of a range within one line. */
  replace(from: number, to: number, widget: WidgetType): void {
    if (to > from && to <= this.state.doc.lineAt(from).to) this.#replaced.push(Decoration.replace({ widget }).range(from, to));
  }

  mark(from: number, to: number, decoration: Decoration): void {
    const { class: name = "" } = decoration.spec as { class?: string };
    if (to > from) this.#marks.set(`${String(from)} ${String(to)} ${name}`, decoration.range(from, to));
  }

  cell(from: number, to: number, decoration: Decoration): void {
    if (to > from) this.#cells.push(decoration.range(from, to));
  }

  wrap(from: number, to: number, wrapper: BlockWrapper): void {
    this.#wrappers.push(wrapper.range(from, to));
  }

  atom(from: number, to: number): void {
    if (to > from) this.#atoms.push(atom.range(from, to));
  }

  line(at: number): LineLook {
    const { from } = this.state.doc.lineAt(at);
    const look = this.#lines.get(from) ?? new LineLook();
    this.#lines.set(from, look);
    return look;
  }

  /** Calls with the start of each line of a block that lies in a window. */
  eachLine(block: Span, window: Span, call: (lineFrom: number) => void): void {
    const { doc } = this.state;
    const last = Math.min(block.to, window.to);
    for (let line = doc.lineAt(Math.max(block.from, Math.min(window.from, block.to))); line.from <= last; line = doc.line(line.number + 1)) {
      call(line.from);
      if (line.number === doc.lines) break;
    }
  }

  finish(): Drawing {
    const passed = new Set<number>();
    const lines: Range<Decoration>[] = [];
    for (const [from, look] of this.#lines) {
      if (look.collapsed || look.thin) passed.add(from);
      const decoration = look.decoration();
      if (decoration) lines.push(decoration.range(from));
    }
    return {
      inner: Decoration.set([...lines, ...this.#marks.values(), ...withoutOverlap(this.#replaced)], true),
      cells: Decoration.set(distinct(this.#cells), true),
      wrappers: BlockWrapper.set(distinct(this.#wrappers), true),
      atoms: Decoration.set(this.#atoms, true),
      passed,
    };
  }
}

function distinct<T extends Span>(ranges: readonly T[]): T[] {
  return [...new Map(ranges.map((range) => [`${String(range.from)} ${String(range.to)}`, range])).values()];
}

/** Replaced ranges may not overlap: the first and longest wins, and what another hides beyond it stays hidden. */
function withoutOverlap(ranges: readonly Range<Decoration>[]): Range<Decoration>[] {
  const sorted = [...ranges].sort((a, b) => a.from - b.from || b.to - a.to);
  const kept: Range<Decoration>[] = [];
  let done = -1;
  for (const range of sorted) {
    if (range.to <= done) continue;
    if (range.from >= done) kept.push(range);
    else if (range.value !== hidden) continue;
    else kept.push(hidden.range(done, range.to));
    done = range.to;
  }
  return kept;
}
