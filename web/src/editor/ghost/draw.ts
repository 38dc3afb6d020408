/**
 * Draws the suggestion over the page: nothing of the text moves for it, and what is composed there is left alone. It
 * goes on right after the cursor if the line ends there; otherwise it stands under the line.
 */
import type { EditorState, Extension } from "@codemirror/state";
import { Direction, type EditorView, layer, type LayerMarker } from "@codemirror/view";
import { asker } from "./asker";
import { dismissSuggestion } from "./commands";
import { type Ghost, restOf } from "../../ghost/ghost";
import { ghostField } from "./state";

/** Where and how a suggestion is set. */
interface Setting {
  left: number;
  top: number;
  width: number;
  indent: number;
  lineHeight: number;
  font: string;
  letterSpacing: string;
  isRtl: boolean;
  wraps: boolean;
  isBelow: boolean;
}

class GhostMarker implements LayerMarker {
  constructor(
    readonly text: string,
    readonly badge: string,
    readonly title: string,
    readonly setting: Setting,
    readonly view: EditorView,
  ) {}

  eq(other: LayerMarker): boolean {
    return other instanceof GhostMarker && other.text === this.text && other.badge === this.badge && other.title === this.title && isSame(other.setting, this.setting);
  }

  draw(): HTMLElement {
    const dom = document.createElement("div");
    dom.append(document.createElement("span"), document.createElement("span"));
    dom.addEventListener("mouseenter", () => { this.view.plugin(asker)?.hover(true); });
    dom.addEventListener("mouseleave", () => { this.view.plugin(asker)?.hover(false); });
    dom.addEventListener("mousedown", (event) => {
      event.preventDefault();
      dismissSuggestion(this.view);
    });
    this.#fill(dom);
    return dom;
  }

  update(dom: HTMLElement): boolean {
    this.#fill(dom);
    return true;
  }

  #fill(dom: HTMLElement): void {
    const { left, top, width, indent, lineHeight, font, letterSpacing, isRtl, wraps, isBelow } = this.setting;
    dom.className = ["ghost", isBelow ? "ghost-below" : "ghost-after", wraps ? "ghost-wraps" : ""].join(" ");
    dom.dir = isRtl ? "rtl" : "ltr";
    const { style } = dom;
    style.font = font;
    style.lineHeight = `${String(lineHeight)}px`;
    style.letterSpacing = letterSpacing;
    style.tabSize = String(this.view.state.tabSize);
    style.left = `${String(left)}px`;
    style.top = `${String(top)}px`;
    style.setProperty("--ghost-line", `${String(lineHeight)}px`);
    style.setProperty("--ghost-width", `${String(width)}px`);
    style.setProperty("--ghost-indent", `${String(indent)}px`);
    const [words, badge] = dom.children;
    if (!words || !badge) return;
    words.className = "ghost-text";
    words.textContent = isBelow ? this.text.trimStart() : this.text;
    badge.className = "ghost-badge";
    badge.textContent = this.badge;
    badge.setAttribute("title", this.title);
  }
}

function isSame(one: Setting, other: Setting): boolean {
  return (Object.keys(one) as (keyof Setting)[]).every((key) => one[key] === other[key]);
}

function markers(view: EditorView): readonly LayerMarker[] {
  const ghost = view.state.field(ghostField, false);
  if (!ghost || (ghost.phase === "loading" && !ghost.isLate)) return [];
  const setting = settingOf(view, ghost);
  if (!setting) return [];
  if (ghost.phase === "loading") return [new GhostMarker("", "…", "A suggestion is on its way", setting, view)];
  const count = ghost.items.length;
  const place = `Suggestion ${String(ghost.index + 1)} of ${String(count)}`;
  const confidence = ghost.items[ghost.index]?.confidence ?? "";
  return [new GhostMarker(restOf(ghost), `${String(ghost.index + 1)}/${String(count)}`, confidence === "" ? place : `${place}. ${confidence}`, setting, view)];
}

/** Whether the line goes on after a place. */
function isInside(state: EditorState, at: number): boolean {
  return state.sliceDoc(at, state.doc.lineAt(at).to).trim() !== "";
}

function settingOf(view: EditorView, { at }: Ghost): Setting | null {
  const caret = view.coordsAtPos(at, -1);
  const line = lineElement(view, at);
  if (!caret || !line) return null;
  const look = getComputedStyle(elementBefore(view, at) ?? line);
  const base = view.scrollDOM.getBoundingClientRect();
  const lineLook = getComputedStyle(line);
  const box = line.getBoundingClientRect();
  const left = box.left + parseFloat(lineLook.paddingLeft);
  // Lines of code may be longer than the page is wide: what is hidden under a suggestion is hidden to the end.
  const right = view.lineWrapping ? box.right - parseFloat(lineLook.paddingRight) : Math.max(box.right, base.right);
  const lineHeight = parseFloat(look.lineHeight) || caret.bottom - caret.top;
  const top = (caret.top + caret.bottom - lineHeight) / 2;
  const isBelow = isInside(view.state, at);
  const isRtl = view.textDirectionAt(at) === Direction.RTL;
  return {
    left: left - base.left + view.scrollDOM.scrollLeft,
    top: top - base.top + view.scrollDOM.scrollTop + (isBelow ? lineHeight : 0),
    width: right - left,
    indent: isRtl ? right - caret.left : caret.left - left,
    lineHeight,
    font: look.font,
    letterSpacing: look.letterSpacing,
    isRtl,
    wraps: view.lineWrapping,
    isBelow,
  };
}

function lineElement(view: EditorView, at: number): HTMLElement | null {
  const { node } = view.domAtPos(at);
  return (node instanceof HTMLElement ? node : node.parentElement)?.closest<HTMLElement>(".cm-line") ?? null;
}

/** The element that holds the character before a place: what is suggested is set as that is. */
function elementBefore(view: EditorView, at: number): HTMLElement | null {
  const { node, offset } = view.domAtPos(at);
  if (!(node instanceof HTMLElement)) return node.parentElement;
  let before: Node | null | undefined = node.childNodes[offset - 1];
  while (before?.lastChild) before = before.lastChild;
  return before instanceof Text ? before.parentElement : null;
}

export const ghostLayer: Extension = layer({
  above: true,
  class: "cm-ghost-layer",
  markers,
  update: ({ startState, state, docChanged }) => {
    const now = state.field(ghostField);
    return now !== startState.field(ghostField, false) || (now !== null && docChanged);
  },
});
