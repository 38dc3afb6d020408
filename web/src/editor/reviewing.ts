/** Puts reviewing into an editor: what it draws depends on how the text is shown. */
import type { EditorState, Extension } from "@codemirror/state";
import { verbatimAt } from "./syntax/code-lines";
import type { LiveText } from "./live/live-text";
import { cellTexts, sourceShown, tablesAround } from "./rendered";
import { linesUnderReview, review, reviewField, type Span, type Standing } from "./review";
import type { ReviewAround } from "./surroundings";

/** The reviewing of a live text. Its lines under review show their source; tables stay tables. */
export function reviewOf(source: LiveText, isCode: boolean, isRendered: () => boolean, around: ReviewAround): Extension {
  const context = {
    decide: around.decide,
    author: around.author,
    source,
    isCode,
    isSetAsCode: (state: EditorState, at: number) => verbatimAt(state, at, isRendered()),
    tablesOf: (state: EditorState, passages: readonly Span[]) => (isRendered() ? tablesAround(state, passages) : []),
    cellsOf: cellTexts,
  };
  const onStanding = (standing: Standing) => { around.onStanding(source.path, standing); };
  return [review(context, onStanding), sourceShown.compute([reviewField], (state) => linesUnderReview(state))];
}
