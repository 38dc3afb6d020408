/** Keeps the drawing in step with the view: text, screen, cursor, and not while somebody drags or composes. */
import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { draw } from "./draw";
import { sourceShown } from "./options";
import { redraw } from "./redraw";
import { type Drawing, emptyDrawing, type Span } from "./sheet";

class Page {
  drawing: Drawing = emptyDrawing;
  #places: readonly Span[] = [];
  /** While the pointer is down nothing opens: the text must not move under it. */
  #held = false;
  #stale = false;

  constructor(readonly view: EditorView) {
    this.#places = placesIn(view);
    this.#draw();
    for (const kind of ["mouseup", "dragend"]) view.dom.ownerDocument.addEventListener(kind, this.#release);
  }

  update(update: ViewUpdate): void {
    const asked = update.transactions.some((one) => one.effects.some((effect) => effect.is(redraw)));
    const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
    if (this.#follow(update) || asked || parsed || update.docChanged || update.viewportChanged || update.startState.readOnly !== update.state.readOnly) this.#stale = true;
    if (!this.#stale) return;
    // A composition lives in the elements of its line: they stay as they are until it has ended.
    if (update.view.compositionStarted) this.drawing = moved(this.drawing, update);
    else this.#draw();
  }

  destroy(): void {
    for (const kind of ["mouseup", "dragend"]) this.view.dom.ownerDocument.removeEventListener(kind, this.#release);
  }

  hold(): void {
    this.#held = true;
  }

  /** Brings up to date what waited for the end of a composition. */
  settle(): void {
    if (this.#stale) this.view.dispatch({ effects: redraw.of(null) });
  }

  readonly #release = (): void => {
    if (!this.#held) return;
    this.#held = false;
    this.view.dispatch({ effects: redraw.of(null) });
  };

  /** Follows the cursors; true if syntax shows elsewhere now. */
  #follow(update: ViewUpdate): boolean {
    const before = this.#places;
    if (this.#held) this.#places = before.map(({ from, to }) => ({ from: update.changes.mapPos(from, -1), to: update.changes.mapPos(to, 1) }));
    else this.#places = placesIn(update.view);
    return before.length !== this.#places.length || before.some(({ from, to }, index) => from !== this.#places[index]?.from || to !== this.#places[index].to);
  }

  #draw(): void {
    this.#stale = false;
    this.drawing = draw(this.view.state, this.view.visibleRanges, this.#places);
  }
}

/** Where syntax shows: at the cursors of somebody who is in the text or searches it, and where it is asked for. */
function placesIn(view: EditorView): readonly Span[] {
  const asked = view.state.facet(sourceShown);
  if (!view.hasFocus && !searchPanelOpen(view.state)) return asked;
  return [...view.state.selection.ranges.map(({ from, to }) => ({ from, to })), ...asked];
}

function moved(drawing: Drawing, { changes }: ViewUpdate): Drawing {
  if (changes.empty) return drawing;
  return {
    inner: drawing.inner.map(changes),
    cells: drawing.cells.map(changes),
    wrappers: drawing.wrappers.map(changes),
    atoms: drawing.atoms.map(changes),
    passed: new Set([...drawing.passed].map((at) => changes.mapPos(at))),
  };
}

const plugin = ViewPlugin.fromClass(Page, {
  eventHandlers: {
    mousedown(event) {
      if (event.button === 0) this.hold();
    },
    compositionend() {
      // The editor takes the composed text in after this event.
      setTimeout(() => {
        this.settle();
      });
    },
  },
});

function part<T extends keyof Drawing>(name: T): (view: EditorView) => Drawing[T] {
  return (view) => drawingOf(view)[name];
}

export function drawingOf(view: EditorView): Drawing {
  return view.plugin(plugin)?.drawing ?? emptyDrawing;
}

/** The drawing, on the page. */
export const page: Extension = [
  plugin,
  EditorView.decorations.of(part("inner")),
  EditorView.outerDecorations.of(part("cells")),
  EditorView.blockWrappers.of(part("wrappers")),
  EditorView.atomicRanges.of(part("atoms")),
  EditorView.editorAttributes.of({ class: "cm-rendered" }),
];
