/** Draws references to figures, tables, equations and sections as they print, and hides their labels, where the cursor is not. */
import { syntaxTree } from "@codemirror/language";
import type { Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { crossReferencesIn } from "./citations";
import { numberingOf, referenceText } from "./numbering";

const hidden = Decoration.replace({});
const unknown = Decoration.mark({ class: "cm-cite-unknown" });

class Words extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: Words): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    place.className = "cm-cross-reference";
    place.textContent = this.text;
    return place;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

function isTouched({ hasFocus, state }: EditorView, from: number, to: number): boolean {
  return hasFocus && state.selection.ranges.some((range) => range.from <= to && range.to >= from);
}

function draw(view: EditorView): DecorationSet {
  const { state } = view;
  const made: Range<Decoration>[] = [];
  const isSeen = (start: number, end: number) => view.visibleRanges.some(({ from, to }) => from <= end && to >= start);
  const numbering = numberingOf(state);
  for (const { from, to, shown } of numbering.labels) {
    if (!isSeen(from, to)) continue;
    const line = state.doc.lineAt(from);
    if (isTouched(view, line.from, line.to)) continue;
    made.push((shown === "" ? hidden : Decoration.replace({ widget: new Words(shown) })).range(from, to));
  }
  for (const { from, to, text, keys } of crossReferencesIn(state)) {
    if (!isSeen(from, to)) continue;
    const shown = referenceText(text, numbering);
    if (shown !== null && !isTouched(view, from, to)) made.push(Decoration.replace({ widget: new Words(shown) }).range(from, to));
    else made.push(...keys.filter(({ key }) => !numbering.numbers.has(key)).map((key) => unknown.range(key.from, key.to)));
  }
  return Decoration.set(made, true);
}

export function crossReferences(isRendered: () => boolean): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      #wasRendered = isRendered();

      constructor(view: EditorView) {
        this.decorations = isRendered() ? draw(view) : Decoration.none;
      }

      update(update: ViewUpdate): void {
        const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        if (update.view.compositionStarted) this.decorations = this.decorations.map(update.changes);
        else if (update.docChanged || parsed || update.selectionSet || update.focusChanged || update.viewportChanged || isRendered() !== this.#wasRendered) this.decorations = isRendered() ? draw(update.view) : Decoration.none;
        this.#wasRendered = isRendered();
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
