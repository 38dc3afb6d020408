/** The editor of text files: one view, one remembered state for each open file. A text that is not live is only shown. */
import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorSelection, EditorState, type Extension, type StateEffect, Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { catchUp, liveBinding } from "./binding";
import { codeLines } from "./code-lines";
import { isMarkdown, isProse } from "./facts";
import { languageOf } from "./languages";
import type { LiveText } from "./live-text";
import { codeLook, highlight, phrases, proseLook } from "./look";
import { rendered, type RenderedOptions } from "./rendered";

export interface ViewedText {
  path: string;
  text: string;
  /** Changes when the text does. */
  hash: string;
  /** The text to edit; without it, what was read is shown. */
  live?: LiveText | null;
}

export interface Passage {
  path: string;
  before: string;
  text: string;
  after: string;
}

/** How many characters around a passage go along with it. */
const AROUND = 200;

/** What the view around the editor does for it. */
export interface ViewerOptions {
  save?: (path: string) => void;
  rendered?: RenderedOptions;
}

interface Kept {
  state: EditorState;
  hash: string;
  live: LiveText | null;
  scroll: StateEffect<unknown> | null;
}

/** Above this many characters a text is shown plain: parsing it would cost more than colours give. */
export const PLAIN_ABOVE = 2_000_000;

const PLAIN: Extension = [];

export class TextViewer {
  readonly view: EditorView;
  readonly #kept = new Map<string, Kept>();
  readonly #language = new Compartment();
  readonly #shape = new Compartment();
  readonly #save: (path: string) => void;
  /** Markdown as it reads; null where the view does not offer that. */
  readonly #rendered: Extension | null;
  #isRendered = false;
  #path: string | null = null;

  constructor(parent: HTMLElement, options: ViewerOptions = {}) {
    this.#save = options.save ?? (() => undefined);
    this.#rendered = options.rendered ? rendered(options.rendered) : null;
    this.view = new EditorView({ parent, state: EditorState.create() });
  }

  /** Shows a text, at the place where it was left. */
  show(viewed: ViewedText): void {
    const live = viewed.live ?? null;
    let kept = this.#kept.get(viewed.path);
    if (this.#path === viewed.path && kept?.live === live) {
      this.#update(viewed);
      return;
    }
    this.#keep();
    if (kept && kept.live !== live) kept = this.#renew(viewed, kept);
    this.#path = viewed.path;
    this.view.setState(kept?.state ?? this.#newState(viewed));
    this.#reshape();
    if (kept) {
      this.#update(viewed);
      if (kept.scroll) this.view.dispatch({ effects: kept.scroll });
    } else {
      this.view.scrollDOM.scrollTop = 0;
      this.#kept.set(viewed.path, { state: this.view.state, hash: viewed.hash, live, scroll: null });
    }
    this.#loadLanguage(viewed).catch((error: unknown) => {
      // Without its language a text is still shown, plain; a reload brings the colours back.
      console.warn(`The colours for ${viewed.path} could not be loaded.`, error);
    });
  }

  /** Whether Markdown is shown as it reads, or as its source. */
  setRendered(isRendered: boolean): void {
    this.#isRendered = isRendered;
    this.#reshape();
  }

  #reshape(): void {
    const wanted = this.#shapeOf(this.#path ?? "");
    const now = this.#shape.get(this.view.state);
    if (now !== undefined && now !== wanted) this.view.dispatch({ effects: this.#shape.reconfigure(wanted) });
  }

  #shapeOf(path: string): Extension {
    const name = nameOf(path);
    if (this.#isRendered && this.#rendered && isMarkdown(name)) return this.#rendered;
    return isProse(name) ? codeLines : PLAIN;
  }

  /** Forgets texts whose tabs were closed. */
  keepOnly(paths: readonly string[]): void {
    const open = new Set(paths);
    for (const path of this.#kept.keys()) if (!open.has(path)) this.#kept.delete(path);
  }

  /** Puts the cursor at a line and column, both from 1, in the middle of the view. */
  goTo(line: number, column: number): void {
    const doc = this.view.state.doc;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines));
    const position = Math.min(at.to, at.from + Math.max(0, column - 1));
    const selection = EditorSelection.cursor(position);
    this.view.dispatch({ selection, effects: EditorView.scrollIntoView(selection, { y: "center" }) });
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** The selected passage with what stands around it; null when nothing is selected. */
  passage(): Passage | null {
    const { doc, selection } = this.view.state;
    const { from, to, empty } = selection.main;
    if (this.#path === null || empty) return null;
    const cut = (start: number, end: number) => doc.sliceString(Math.max(0, start), Math.min(doc.length, end));
    return { path: this.#path, before: cut(from - AROUND, from), text: cut(from, to), after: cut(to, to + AROUND) };
  }

  openFind(): void {
    openSearchPanel(this.view);
  }

  destroy(): void {
    this.view.destroy();
  }

  #keep(): void {
    const kept = this.#path === null ? undefined : this.#kept.get(this.#path);
    if (!kept) return;
    kept.state = this.view.state;
    kept.scroll = this.view.scrollSnapshot();
  }

  /** A text became live, or is another one: the same place in it, in a state of its own. */
  #renew(viewed: ViewedText, kept: Kept): Kept {
    const state = this.#newState(viewed);
    const within = (at: number) => Math.min(at, state.doc.length);
    const { anchor, head } = kept.state.selection.main;
    const renewed = state.update({ selection: { anchor: within(anchor), head: within(head) } }).state;
    const fresh: Kept = { state: renewed, hash: viewed.hash, live: viewed.live ?? null, scroll: kept.scroll };
    this.#kept.set(viewed.path, fresh);
    return fresh;
  }

  /** Changes only what differs, so that scroll and selection stay where they are. */
  #update(viewed: ViewedText): void {
    const kept = this.#kept.get(viewed.path);
    if (kept?.live) catchUp(this.view, kept.live);
    if (!kept || kept.live || kept.hash === viewed.hash) return;
    kept.hash = viewed.hash;
    const change = difference(this.view.state.doc, viewed.text);
    if (change) this.view.dispatch({ changes: change });
  }

  #newState(viewed: ViewedText): EditorState {
    const live = viewed.live ?? null;
    const doc = live ? Text.of(live.content.split("\n")) : viewed.text;
    return EditorState.create({ doc, extensions: this.#extensions(viewed.path, live) });
  }

  #extensions(path: string, live: LiveText | null): Extension {
    const name = nameOf(path);
    const prose = isProse(name);
    return [
      prose ? proseLook : [codeLook, lineNumbers(), bracketMatching()],
      this.#shape.of(this.#shapeOf(path)),
      live ? liveBinding(live, () => { this.#save(path); }) : EditorState.readOnly.of(true),
      EditorState.phrases.of(phrases),
      EditorView.contentAttributes.of({ "aria-label": `Text of ${name}`, "aria-readonly": String(!live), tabindex: "0", spellcheck: String(prose && live !== null) }),
      drawSelection(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      syntaxHighlighting(highlight),
      search({ top: true }),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      this.#language.of([]),
    ];
  }

  async #loadLanguage(viewed: ViewedText): Promise<void> {
    const description = viewed.text.length > PLAIN_ABOVE ? null : languageOf(nameOf(viewed.path));
    if (!description) return;
    const support = description.support ?? (await description.load());
    // The tab may have changed while the language was on its way.
    if (this.#path !== viewed.path || this.#language.get(this.view.state) === support) return;
    this.view.dispatch({ effects: this.#language.reconfigure(support) });
  }
}

interface Change {
  from: number;
  to: number;
  insert: Text;
}

/** The one span in which a document and a new text differ, or null. */
export function difference(doc: Text, text: string): Change | null {
  const next = Text.of(text.split(/\r\n?|\n/));
  if (doc.eq(next)) return null;
  const old = doc.toString();
  const fresh = next.toString();
  const shorter = Math.min(old.length, fresh.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === fresh.charCodeAt(from)) from += 1;
  let end = 0;
  while (end < shorter - from && old.charCodeAt(old.length - 1 - end) === fresh.charCodeAt(fresh.length - 1 - end)) end += 1;
  return { from, to: old.length - end, insert: next.slice(from, fresh.length - end) };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
