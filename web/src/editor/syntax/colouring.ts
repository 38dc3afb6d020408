/**
 * Colours the text on the screen by its syntax. CodeMirror's own colouring passes all blocks before the screen; where a text
 * is parsed in sections, only those on the screen are looked at.
 */
import { type HighlightStyle, syntaxTree } from "@codemirror/language";
import { type Extension, Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { highlightTree } from "@lezer/highlight";
import { partsIn } from "./sections";

class Colouring implements PluginValue {
  decorations: DecorationSet;
  readonly #style: HighlightStyle;
  readonly #marks = new Map<string, Decoration>();
  /** How far the text is coloured. */
  #end: number;

  constructor(view: EditorView, style: HighlightStyle) {
    this.#style = style;
    this.decorations = this.#draw(view);
    this.#end = view.viewport.to;
  }

  update({ view, state, startState, changes, viewportChanged }: ViewUpdate): void {
    const tree = syntaxTree(state);
    const before = syntaxTree(startState);
    const end = changes.mapPos(this.#end, 1);
    const isUnderWay = tree.length < view.viewport.to && tree.type === before.type && end >= view.viewport.to;
    if (isUnderWay) {
      // The old colours stay until the parser has come this far.
      this.decorations = this.decorations.map(changes);
      this.#end = end;
    } else if (tree !== before || viewportChanged) {
      this.decorations = this.#draw(view);
      this.#end = view.viewport.to;
    }
  }

  #draw({ state, visibleRanges }: EditorView): DecorationSet {
    const marks = new RangeSetBuilder<Decoration>();
    for (const { from, to } of visibleRanges) {
      for (const { tree, start } of partsIn(syntaxTree(state), from, to)) {
        highlightTree(tree, this.#style, (first, last, look) => { marks.add(start + first, start + last, this.#mark(look)); }, Math.max(0, from - start), to - start);
      }
    }
    return marks.finish();
  }

  #mark(look: string): Decoration {
    const mark = this.#marks.get(look) ?? Decoration.mark({ class: look });
    this.#marks.set(look, mark);
    return mark;
  }
}

/** Colours texts of every language in one style. */
export function colouring(style: HighlightStyle): Extension {
  const plugin = ViewPlugin.define((view) => new Colouring(view, style), { decorations: (colours) => colours.decorations });
  return [Prec.high(plugin), style.module ? EditorView.styleModule.of(style.module) : []];
}
