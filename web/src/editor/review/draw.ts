/** How edits look in the text: lines that went above lines that came, new words marked, a foot below. */
import { type EditorState, type Extension, type Range, RangeSetBuilder, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutterLineClass, GutterMarker, type WidgetType } from "@codemirror/view";
import type { Edit, Table } from "./edits";
import { editsIn, linesUnderReview, reviewField } from "./field";
import { type Reviewing, reviewing } from "./options";
import { OldRows } from "./rows";
import { type Facts, Foot, Gone, minusSigns, Removed } from "./widgets";
import type { Span } from "./words";

const newWords = Decoration.mark({ tagName: "ins", class: "cm-hunk-words" });
const newRow = Decoration.line({ class: "cm-hunk-row" });

function newLine(isFirst: boolean, isLast: boolean, hasOld: boolean): Decoration {
  const names = ["cm-hunk-new", isFirst ? (hasOld ? "cm-hunk-next" : "cm-hunk-first") : "", isLast ? "cm-hunk-last" : ""];
  return Decoration.line({ class: names.filter(Boolean).join(" ") });
}

function block(widget: WidgetType, side: 1 | -1, at: number): Range<Decoration> {
  return Decoration.widget({ widget, block: true, side }).range(at);
}

function draw(state: EditorState): DecorationSet {
  const context = state.facet(reviewing);
  const edits = editsIn(state);
  if (!context || edits.length === 0) return Decoration.none;
  const drawn = edits.flatMap((edit, index) => {
    const facts: Facts = { edit, index, count: edits.length, words: context.author(edit.by), face: faceOf(state, context, edit) };
    return edit.table ? drawInTable(state, facts, edit.table, context) : drawLines(state, facts, context);
  });
  return Decoration.set(drawn, true);
}

function faceOf(state: EditorState, context: Reviewing, { parts: [{ lines, place }], table }: Edit): Facts["face"] {
  if (table) return "table";
  if (context.isCode) return "code";
  // Lines that only went are code where both of their neighbours are.
  const places = lines ? [lines.from] : [place, Math.max(0, place - 1)];
  return places.every((at) => context.isSetAsCode(state, at)) ? "mono" : "prose";
}

function drawLines(state: EditorState, facts: Facts, { reading }: Reviewing): Range<Decoration>[] {
  const [part] = facts.edit.parts;
  const { lines, old, place, isAfter } = part;
  const around = (old && reading()?.around(state, lines?.from ?? place, lines?.to ?? place)) ?? null;
  if (!lines) return [block(new Gone(facts, around), isAfter ? 1 : -1, place)];
  const starts = lineStarts(state.doc, lines.from, lines.to);
  return [
    ...(old ? [block(new Removed(old, facts.face, around), -1, lines.from)] : []),
    ...starts.map((at, index) => newLine(index === 0, index === starts.length - 1, old !== null).range(at)),
    ...drawWords(part.added),
    block(new Foot(facts), 1, lines.to),
  ];
}

/** In a table rows stand above rows, cell by cell; one foot for all of them is under it. */
function drawInTable(state: EditorState, facts: Facts, table: Table, { cellsOf, reading }: Reviewing): Range<Decoration>[] {
  const { doc } = state;
  const { parts } = facts.edit;
  const around = reading()?.aroundRows(state, table) ?? null;
  const rows = parts.flatMap((part) => {
    const { lines, old, place, isAfter } = part;
    const starts = lines ? lineStarts(doc, lines.from, lines.to) : [];
    const gone = old ? [block(new OldRows(old, table.alignments, cellsOf, around), isAfter ? 1 : -1, lines?.from ?? place)] : [];
    const cells = starts.flatMap((at) => cellsOf(doc.lineAt(at).text).map(({ from, to }) => ({ from: at + from, to: at + to })));
    const added = cells.filter(({ from, to }) => part.added.some((one) => one.from < to && one.to > from));
    return [...gone, ...starts.map((at) => newRow.range(at)), ...drawWords(added)];
  });
  return [...rows, block(new Foot(facts), 1, table.to)];
}

function drawWords(added: readonly Span[]): Range<Decoration>[] {
  return added.filter(({ from, to }) => to > from).map(({ from, to }) => newWords.range(from, to));
}

function lineStarts(doc: Text, from: number, to: number): number[] {
  const first = doc.lineAt(from).number;
  return Array.from({ length: doc.lineAt(to).number - first + 1 }, (_one, index) => doc.line(first + index).from);
}

const drawn = StateField.define<DecorationSet>({
  create: draw,
  update(before, { state, startState, changes }) {
    const review = state.field(reviewField);
    if (review === startState.field(reviewField, false)) return before;
    return review.isMoved ? before.map(changes) : draw(state);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Plus extends GutterMarker {
  override elementClass = "cm-hunk-plus";
}

const plus = new Plus();

/** The + beside new lines, where there are line numbers. */
const plusSigns = gutterLineClass.compute([reviewField], (state) => {
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const { from, to } of linesUnderReview(state)) for (const at of lineStarts(state.doc, from, to)) builder.add(at, at, plus);
  return builder.finish();
});

export const drawing: Extension = [drawn, plusSigns, minusSigns];
