/** Room for a suggestion that is longer than its cell: a cell is as high as its text, and would hide the rest. */
import { type EditorView, type PluginValue, ViewPlugin } from "@codemirror/view";

class GhostRoom implements PluginValue {
  readonly #view: EditorView;
  readonly #watch: MutationObserver;

  constructor(view: EditorView) {
    this.#view = view;
    this.#watch = new MutationObserver(() => { this.#fit(); });
    this.#watch.observe(view.scrollDOM, { childList: true, subtree: true, attributeFilter: ["style"] });
  }

  destroy(): void { this.#watch.disconnect(); }

  #fit(): void {
    const { scrollDOM, contentDOM } = this.#view;
    const drawn = scrollDOM.querySelector(".ghost");
    const over = drawn ? Math.ceil(drawn.getBoundingClientRect().bottom - contentDOM.getBoundingClientRect().bottom) : 0;
    const room = over > 0 ? `${String(over)}px` : "";
    if (scrollDOM.style.paddingBlockEnd === room) return;
    scrollDOM.style.paddingBlockEnd = room;
    if (room !== "") drawn?.scrollIntoView({ block: "nearest" });
  }
}

export const ghostRoom = ViewPlugin.define((view) => new GhostRoom(view));
