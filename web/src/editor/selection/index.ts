/** Tells the page what is selected and where it stands, once the person has finished selecting. */
import { type Extension, StateEffect } from "@codemirror/state";
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { Bounds } from "./place";

export { type BarPlace, type Bounds, placeBar, type Size } from "./place";

/** A selection that rests: where it is in the text, and on the screen. */
export interface Resting extends Bounds {
  from: number;
  to: number;
  /** Whether the person is in the text. */
  hasFocus: boolean;
}

export type TellSelection = (selection: Resting | null) => void;

/** Has the selection left alone until the person selects anew. */
export const dismissSelection = StateEffect.define();

class Watch implements PluginValue {
  readonly #view: EditorView;
  readonly #tell: TellSelection;
  /** While the pointer is down the selection still grows. */
  #held = false;
  /** Nothing more is wanted of this selection. */
  #dismissed = false;
  #told = false;

  constructor(view: EditorView, tell: TellSelection) {
    this.#view = view;
    this.#tell = tell;
    view.scrollDOM.addEventListener("scroll", this.#measure, { passive: true });
    view.dom.ownerDocument.addEventListener("mouseup", this.#release);
  }

  update(update: ViewUpdate): void {
    if (update.transactions.some((one) => one.selection !== undefined)) this.#dismissed = false;
    if (update.transactions.some((one) => one.effects.some((effect) => effect.is(dismissSelection)))) this.dismiss();
    if (update.selectionSet || update.docChanged || update.focusChanged || update.geometryChanged) this.#measure();
  }

  destroy(): void {
    this.#view.scrollDOM.removeEventListener("scroll", this.#measure);
    this.#view.dom.ownerDocument.removeEventListener("mouseup", this.#release);
    this.#tell(null);
  }

  hold(): void {
    this.#held = true;
    this.#measure();
  }

  /** Hides what lies over the text until something else is selected. The key does whatever else it does. */
  dismiss(): void {
    this.#dismissed = true;
    this.#measure();
  }

  readonly #release = (): void => {
    if (!this.#held) return;
    this.#held = false;
    this.#measure();
  };

  readonly #measure = (): void => {
    this.#view.requestMeasure({ key: this, read: () => this.#read(), write: (found) => { this.#say(found); } });
  };

  #say(found: Resting | null): void {
    if (!found && !this.#told) return;
    this.#told = found !== null;
    this.#tell(found);
  }

  #read(): Resting | null {
    const view = this.#view;
    const { from, to } = view.state.selection.main;
    if (this.#held || view.compositionStarted || this.#dismissed || isNothing(view)) return null;
    const box = view.scrollDOM.getBoundingClientRect();
    const outer = view.dom.getBoundingClientRect();
    const first = view.lineBlockAt(from);
    const last = view.lineBlockAt(to);
    const start = view.coordsAtPos(from, 1);
    const end = view.coordsAtPos(to, -1);
    const toBox = (documentTop: number) => documentTop + view.documentTop - outer.top;
    const bounds = {
      from, to, hasFocus: view.hasFocus,
      top: start ? start.top - outer.top : toBox(first.top),
      bottom: end ? end.bottom - outer.top : toBox(last.bottom),
      left: (start?.left ?? box.left) - outer.left,
      view: { top: box.top - outer.top, bottom: box.top - outer.top + view.scrollDOM.clientHeight, width: outer.width },
    };
    const isOutOfSight = bounds.bottom <= bounds.view.top || bounds.top >= bounds.view.bottom;
    return isOutOfSight ? null : bounds;
  }
}

/** Selected space is nothing to ask about; and what is offered for one of several cursors would lie over the others. */
function isNothing(view: EditorView): boolean {
  const { ranges, main: { from, to, empty } } = view.state.selection;
  return empty || ranges.length > 1 || (to - from < 1000 && view.state.sliceDoc(from, to).trim() === "");
}

/** Watches the main selection. Keys and presses go on to the text as if nobody watched. */
export function watchSelection(tell: TellSelection): Extension {
  return ViewPlugin.define((view) => new Watch(view, tell), {
    eventObservers: {
      mousedown(event) {
        if (event.button === 0) this.hold();
      },
      keydown(event) {
        if (event.key === "Escape") this.dismiss();
      },
    },
  });
}
