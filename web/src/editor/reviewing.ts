/** Puts reviewing into an editor: what it draws depends on how the text is shown. */
import type { EditorState, Extension } from "@codemirror/state";
import { verbatimAt } from "./syntax/code-lines";
import type { LiveText } from "./live/live-text";
import { aroundLines, cellTexts, headOf, partsInTables, sourceShown, Still, tablesAround, unseenIn } from "./rendered";
import { changesOutsideTables, type Reading, review, reviewField, type Span, type Standing } from "./review";
import type { ReviewAround } from "./surroundings";

const asRead: Reading = {
  around: aroundLines,
  aroundRows: headOf,
  draw: (view, { text, removed }, around, isRows) => new Still(view, text, removed, around, isRows),
};

/** What would not be seen, and rows of tables that are not drawn as tables: new lines have a look of their own. */
function asSource(state: EditorState): readonly Span[] {
  const changes = changesOutsideTables(state);
  return [...unseenIn(state, changes), ...partsInTables(state, changes)];
}

/** The reviewing of a live text. Its edits show as they read, but for what would not be seen then; tables stay tables. */
export function reviewOf(source: LiveText, isCode: boolean, isRendered: () => boolean, around: ReviewAround): Extension {
  const context = {
    decide: around.decide,
    author: around.author,
    source,
    isCode,
    reading: () => (isRendered() ? asRead : null),
    isSetAsCode: (state: EditorState, at: number) => verbatimAt(state, at, isRendered()),
    tablesOf: (state: EditorState, passages: readonly Span[]) => (isRendered() ? tablesAround(state, passages) : []),
    cellsOf: cellTexts,
  };
  const onStanding = (standing: Standing) => { around.onStanding(source.path, standing); };
  return [review(context, onStanding), sourceShown.compute([reviewField], (state) => (isRendered() ? asSource(state) : []))];
}
