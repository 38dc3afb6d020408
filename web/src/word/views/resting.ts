/** Tells where a selection in a Word document stands, once the person has finished selecting. */
import type { WordFrame } from "../../api";
import type { RestingSelection } from "../../authorship/state/margin.svelte";
import type { WordViewer } from "../../word-page";

export class RestingWatch {
  readonly #viewer: WordViewer<WordFrame>;
  /** What scrolls, and the box that a bar beside the selection is placed in. */
  readonly #scroll: HTMLElement;
  readonly #box: HTMLElement;
  readonly #tell: (selection: RestingSelection | null) => void;
  /** While the pointer is down the selection still grows. */
  #held = false;
  /** Nothing more is wanted of this selection. */
  #dismissed = "";

  constructor(viewer: WordViewer<WordFrame>, scroll: HTMLElement, box: HTMLElement, tell: (selection: RestingSelection | null) => void) {
    this.#viewer = viewer;
    this.#scroll = scroll;
    this.#box = box;
    this.#tell = tell;
    scroll.addEventListener("scroll", this.measure, { passive: true });
    viewer.view.dom.addEventListener("mousedown", this.#hold);
    viewer.view.dom.addEventListener("keydown", this.#press);
    viewer.view.dom.addEventListener("focusout", this.measure);
    viewer.view.dom.addEventListener("focusin", this.measure);
    document.addEventListener("mouseup", this.#release);
  }

  destroy(): void {
    this.#scroll.removeEventListener("scroll", this.measure);
    document.removeEventListener("mouseup", this.#release);
    this.#tell(null);
  }

  /** Hides what lies over the text until something else is selected. */
  dismiss(): void {
    this.#dismissed = this.#selected();
    this.measure();
  }

  readonly #hold = (event: MouseEvent): void => {
    if (event.button !== 0) return;
    this.#held = true;
    this.#tell(null);
  };

  readonly #release = (): void => {
    if (!this.#held) return;
    this.#held = false;
    // The editor hears of what was selected after this.
    setTimeout(this.measure);
  };

  readonly #press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.dismiss();
  };

  #selected(): string {
    const { from, to } = this.#viewer.view.state.selection;
    return `${String(from)}-${String(to)}`;
  }

  readonly measure = (): void => {
    if (!this.#viewer.view.isDestroyed) this.#tell(this.#read());
  };

  #read(): RestingSelection | null {
    const { view } = this.#viewer;
    const { from, to } = view.state.selection;
    if (this.#dismissed !== "" && this.#dismissed !== this.#selected()) this.#dismissed = "";
    const passage = this.#viewer.place();
    if (passage === null || passage.text.trim() === "" || this.#held || view.composing || this.#dismissed !== "") return null;
    const start = view.coordsAtPos(from, 1);
    const end = view.coordsAtPos(to, -1);
    const outer = this.#box.getBoundingClientRect();
    const box = this.#scroll.getBoundingClientRect();
    const bounds = { top: start.top - outer.top, bottom: end.bottom - outer.top, left: start.left - outer.left, view: { top: box.top - outer.top, bottom: box.bottom - outer.top, width: outer.width } };
    const isOutOfSight = bounds.bottom <= bounds.view.top || bounds.top >= bounds.view.bottom;
    return isOutOfSight ? null : { from, to, hasFocus: view.hasFocus(), ...bounds };
  }
}
