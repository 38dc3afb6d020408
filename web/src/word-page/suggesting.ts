/** Suggestions at the caret of a page: asks for them, shows them, and has their keys. */
import { closeHistory } from "prosemirror-history";
import { Plugin } from "prosemirror-state";
import { Decoration, DecorationSet, type EditorView } from "prosemirror-view";
import { type Ghost, restOf } from "../ghost/ghost";
import { GHOST, ghostOf, nextGhost } from "./suggestion";
import { SuggestionAsker } from "./suggestion-asker";
import { asking, canSuggest, dismissing, type GhostAround, meaningOf, telling } from "./suggestion-commands";

/** Two plusses are one wish when they come within this time. */
const TWICE_MS = 300;
/** How far back a word is looked at. */
const BACK = 16;
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ScrollLock", "Fn"]);

export function suggesting(around: GhostAround): Plugin<Ghost | null> {
  let asker: SuggestionAsker | null = null;
  const plusses = new Plusses(around);
  return new Plugin<Ghost | null>({
    key: GHOST,
    state: { init: () => null, apply: nextGhost },
    view: (view) => {
      asker = new SuggestionAsker(view, around);
      return asker;
    },
    props: {
      decorations(state) {
        const ghost = ghostOf(state);
        if (!ghost || (ghost.phase === "loading" && !ghost.isLate)) return null;
        const isInside = state.selection.$head.parentOffset < state.selection.$head.parent.content.size;
        const key = `suggestion-${String(ghost.request)}-${String(ghost.index)}-${String(ghost.items.length)}-${String(ghost.taken.length)}-${ghost.phase}-${ghost.items[ghost.index]?.confidence ?? ""}`;
        return DecorationSet.create(state.doc, [Decoration.widget(ghost.at, () => drawn(ghost, isInside, asker), { side: 1, key, ignoreSelection: true, marks: [] })]);
      },
      handleTextInput: (view, from, to, text) => plusses.type(view, from, to, text),
      handleKeyDown(view, event) {
        const ghost = ghostOf(view.state);
        if (ghost === null || event.isComposing || MODIFIERS.has(event.key)) return false;
        if (ghost.phase === "loading") return event.key === "Escape" && dismissing(view);
        // A key that was pressed before the suggestion could be seen was not meant for it.
        const meaning = asker?.wasSeen(event.timeStamp) ? meaningOf(event, ghost, around, (characters) => asker?.noteWhole(characters)) : null;
        if (meaning !== null) return meaning(view);
        dismissing(view);
        return false;
      },
      handleDOMEvents: { mousedown: goes, compositionstart: goes, blur: goes },
    },
  });
}

/** Whatever it is, it ends the suggestion and means what it always means. */
function goes(view: EditorView): boolean {
  dismissing(view);
  return false;
}

/** Asks for a suggestion at the caret. */
export function suggestAt(view: EditorView, around: GhostAround): void {
  if (canSuggest(view, around)) view.dispatch(telling(view.state.tr, asking(true)));
}

function drawn(ghost: Ghost, isInside: boolean, asker: SuggestionAsker | null): HTMLElement {
  const element = document.createElement("span");
  element.className = isInside ? "ghost word-ghost word-ghost-below" : "ghost word-ghost";
  element.contentEditable = "false";
  const text = element.appendChild(document.createElement("span"));
  text.className = "ghost-text";
  text.textContent = ghost.phase === "loading" ? "…" : restOf(ghost).trimEnd().replace(/\n+/g, "\n");
  if (ghost.phase === "active") {
    const badge = element.appendChild(document.createElement("span"));
    badge.className = "ghost-badge";
    const place = `Suggestion ${String(ghost.index + 1)} of ${String(ghost.items.length)}`;
    badge.textContent = `${String(ghost.index + 1)}/${String(ghost.items.length)}`;
    badge.title = [place, ghost.items[ghost.index]?.confidence ?? ""].filter(Boolean).join(". ");
  }
  element.addEventListener("mouseenter", () => { asker?.hover(true); });
  element.addEventListener("mouseleave", () => { asker?.hover(false); });
  return element;
}

/** Two plusses that ask, and a third that says that three were meant. */
class Plusses {
  readonly #around: GhostAround;
  #at = -1;
  #time = -Infinity;
  /** Both are typed and gone. */
  #isTaken = false;

  constructor(around: GhostAround) {
    this.#around = around;
  }

  type(view: EditorView, from: number, to: number, text: string): boolean {
    if (text !== "+") return false;
    const time = performance.now();
    const isSoon = from === to && time - this.#time <= TWICE_MS;
    const [at, isTaken] = isSoon ? [this.#at, this.#isTaken] : [-1, false];
    this.#at = from;
    this.#time = time;
    this.#isTaken = false;
    if (isTaken) return at === from && giveBack(view, from);
    if (at < 0 || at + 1 !== from || !this.#mayAsk(view, at)) return false;
    this.#at = at;
    this.#isTaken = true;
    // In steps of their own: undoing brings the plusses back.
    view.dispatch(view.state.tr.insertText("+", from));
    view.dispatch(telling(closeHistory(view.state.tr.delete(at, at + 2)), asking(true)));
    view.dispatch(closeHistory(view.state.tr));
    return true;
  }

  #mayAsk(view: EditorView, at: number): boolean {
    const { $head } = view.state.selection;
    if (!canSuggest(view, this.#around)) return false;
    const before = $head.parent.textBetween(0, at - $head.start());
    const plus = view.state.doc.textBetween(at, at + 1);
    return plus === "+" && this.#around.asksAfter(before.slice(-BACK));
  }
}

function giveBack(view: EditorView, at: number): boolean {
  if (ghostOf(view.state)?.phase !== "loading") return false;
  dismissing(view);
  view.dispatch(view.state.tr.insertText("+++", at));
  return true;
}
