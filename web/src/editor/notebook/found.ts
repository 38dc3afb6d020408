/** What a search over the whole notebook finds, marked in each cell. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

export interface FoundInCell {
  from: number;
  to: number;
  isChosen: boolean;
}

export const setFound = StateEffect.define<readonly FoundInCell[]>();

const MATCH = Decoration.mark({ class: "cm-searchMatch" });
const CHOSEN = Decoration.mark({ class: "cm-searchMatch cm-searchMatch-selected" });

export const foundMarks: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, state }) {
    const given = effects.findLast((effect) => effect.is(setFound));
    if (!given) return marks.map(changes);
    const shown = given.value.filter(({ from, to }) => to > from && to <= state.doc.length);
    return Decoration.set(shown.map(({ from, to, isChosen }) => (isChosen ? CHOSEN : MATCH).range(from, to)), true);
  },
  provide: (field) => EditorView.decorations.from(field),
});
