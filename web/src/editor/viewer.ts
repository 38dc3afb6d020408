/** The editor of text files: one view, one remembered state for each open file. A text that is not live is only shown. */
import { findNext, findPrevious, openSearchPanel } from "@codemirror/search";
import { Compartment, EditorState, type Extension, StateEffect, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type Authored, setAuthored } from "./authorship";
import { besideText } from "./beside";
import { catchUp, liveBinding } from "./live/binding";
import { citing, type CitingAround, libraryChanged } from "./citing";
import { codeLines } from "./syntax/code-lines";
import { counting, type Counts } from "./reading/counting";
import { difference, reads } from "./live/difference";
import { dimming } from "./reading/dimming";
import { EarlyTyping } from "./live/early";
import { isMarkdown, isProse, nameOf } from "./facts";
import { openReplacing } from "./find";
import { type GhostSource, suggest } from "./ghost";
import { languageOfText } from "./syntax/languages";
import { beginningOf, LeftPlaces } from "./left-place";
import { linesBefore } from "./reading/large-text";
import { type LiveText, textOf } from "./live/live-text";
import { goToLine } from "./going";
import { type Overview, overviewOf } from "./outline";
import { type Passage, passageIn, selectedIn } from "./passage";
import { redraw, rendered } from "./rendered";
import { decideHere, goToEdit, goToFirstEdit, lookAgain, standingOf, type Verdict } from "./review";
import { reviewOf } from "./reviewing";
import { dismissSelection } from "./selection";
import { suggesting } from "./suggesting";
import type { Kept, ReviewAround, ViewedText, ViewerOptions } from "./surroundings";
import { textBasics } from "./text-basics";
import { TextThreads, threadMarks, type ThreadsAround } from "./threads";
import { format, type Format, noteLinks, type NotesAround, pasting, type PastingAround } from "./writing";

const PLAIN: Extension = [];

export class TextViewer {
  readonly view: EditorView;
  readonly threads: TextThreads;
  readonly #kept = new Map<string, Kept>();
  readonly #language = new Compartment();
  readonly #shape = new Compartment();
  readonly #dimming = new Compartment();
  readonly #wrapping = new Compartment();
  readonly early = new EarlyTyping();
  readonly #save: (path: string) => void;
  readonly #edited: (path: string) => void;
  readonly #count: (path: string, counts: Counts) => void;
  /** Markdown as it reads; null where the view does not offer that. */
  readonly #rendered: Extension | null;
  readonly #beside: Extension;
  readonly #review: ReviewAround | undefined;
  readonly #ghost: GhostSource | undefined;
  readonly #threads: ThreadsAround | undefined;
  readonly #citing: CitingAround | undefined;
  readonly #notes: NotesAround | undefined;
  readonly #left: LeftPlaces;
  readonly #pasting: ((path: string) => PastingAround) | undefined;
  #isRendered = false;
  #isDimmed = false;
  #isWrapped = false;
  #coloured: Promise<void> = Promise.resolve();
  #path: string | null = null;

  constructor(parent: HTMLElement, options: ViewerOptions = {}) {
    this.#save = options.save ?? (() => undefined);
    this.#edited = options.edited ?? (() => undefined);
    this.#count = options.count ?? (() => undefined);
    this.#rendered = options.rendered ? rendered(options.rendered) : null;
    this.#review = options.review;
    this.#ghost = options.ghost;
    this.#threads = options.threads;
    this.#citing = options.citing;
    this.#notes = options.notes;
    this.#pasting = options.pasting;
    this.#beside = options.listener ? besideText(options.listener) : [];
    this.view = new EditorView({ parent, state: EditorState.create() });
    this.threads = new TextThreads(this.view);
    this.#left = new LeftPlaces(this.view, options.places);
  }

  /** Shows a text, at the place where it was left. */
  show(viewed: ViewedText): void {
    const live = viewed.live ?? null;
    let kept = this.#keptOf(viewed);
    if (this.#path === viewed.path && kept && this.#stays(viewed, kept, live)) return;
    this.#keep();
    if (kept && kept.live !== live) kept = this.#renew(viewed, kept);
    this.#path = viewed.path;
    this.view.setState(kept?.state ?? this.#newStateAtTop(viewed));
    this.#reshape();
    if (kept) {
      this.#update(viewed);
      if (kept.scroll) this.view.dispatch({ effects: kept.scroll });
    } else {
      this.#left.comeBack(viewed);
      this.#kept.set(viewed.path, { state: this.view.state, hash: viewed.hash, live, part: viewed.part, scroll: null });
    }
    this.#review?.onStanding(viewed.path, standingOf(this.view.state));
    this.early.write(viewed.path, this.view);
    this.#coloured = this.#loadLanguage(viewed).then(() => { this.#left.foldAgain(this.#path); }).catch((error: unknown) => {
      // Without its language a text is still shown, plain; a reload brings the colours back.
      console.warn(`The colours for ${viewed.path} could not be loaded.`, error);
    });
  }

  /** Whether Markdown is shown as it reads, or as its source. */
  setRendered(isRendered: boolean): void { this.#isRendered = isRendered; this.#reshape(); }

  /** Draws a rendered text anew, because what it shows besides its words has changed. */
  redraw(): void { this.view.dispatch({ effects: redraw.of(null) }); }
  libraryChanged(): void { libraryChanged(this.view); }

  /** Whether prose shows only the paragraph at hand in full ink. */
  setDimmed(isDimmed: boolean): void { this.#isDimmed = isDimmed; this.#reshape(); }

  /** Whether long lines of code go on in the next row. */
  setWrapped(isWrapped: boolean): void { this.#isWrapped = isWrapped; this.#reshape(); }

  #reshape(): void {
    const path = this.#path ?? "";
    this.#put(this.#wrapping, this.#wrappingOf());
    this.#put(this.#shape, this.#shapeOf(path));
    this.#put(this.#dimming, this.#dimmingOf(path));
  }

  #put(place: Compartment, wanted: Extension): void {
    const now = place.get(this.view.state);
    if (now !== undefined && now !== wanted) this.view.dispatch({ effects: place.reconfigure(wanted) });
  }

  #wrappingOf(): Extension { return this.#isWrapped ? EditorView.lineWrapping : PLAIN; }
  #dimmingOf(path: string): Extension { return this.#isDimmed && isProse(nameOf(path)) ? dimming : PLAIN; }

  #shapeOf(path: string): Extension {
    const name = nameOf(path);
    if (this.#isRendered && this.#rendered && isMarkdown(name)) return this.#rendered;
    return isProse(name) ? codeLines : PLAIN;
  }

  /** Forgets texts whose tabs were closed. */
  keepOnly(paths: readonly string[]): void {
    for (const path of this.#kept.keys()) if (!paths.includes(path)) this.#kept.delete(path);
    this.early.keepOnly(paths);
  }

  /** Puts the cursor at a line and column, both from 1, in the middle of the view. */
  goTo(line: number, column: number): void {
    goToLine(this.view, line - linesBefore(this.#kept.get(this.#path ?? "")?.part), column);
  }

  focus(): void { this.view.focus(); }
  /** Whether forms of Markdown can be given to what is selected: somebody writes in such a text. */
  canFormat(): boolean { return this.#path !== null && isMarkdown(nameOf(this.#path)) && !this.view.state.readOnly && this.view.hasFocus; }

  format(wanted: Format): void { format(this.view, wanted); }

  insert(text: string): void { this.view.dispatch(this.view.state.replaceSelection(text), { userEvent: "input", scrollIntoView: true }); }

  /** The selected passage with what stands around it; null when nothing is selected. */
  passage(): Passage | null {
    return this.#path === null ? null : passageIn(this.view.state, this.#path);
  }

  /** Where the selection is in the text, in UTF-16 units; null when nothing is selected. */
  selected(): { path: string; start: number; end: number } | null {
    return this.#path === null ? null : selectedIn(this.view.state, this.#path);
  }

  /** Nothing more is wanted of the selection: what stands beside it goes. */
  dismissSelection(): void { this.view.dispatch({ effects: dismissSelection.of(null) }); }

  /** The text as it shows. */
  get text(): string { return this.view.state.doc.toString(); }

  /** Marks the shown text by its authors; false when these belong to another text, or to another moment of it. */
  mark(path: string, authored: Authored): boolean {
    const end = authored.spans.at(-1)?.to ?? this.view.state.doc.length;
    if (this.#path !== path || end !== this.view.state.doc.length) return false;
    this.view.dispatch({ effects: setAuthored.of(authored) });
    return true;
  }

  /** Asks for a suggestion at the cursor. */
  suggest(): void { suggest(this.view); }

  openFind(): void { openSearchPanel(this.view); }
  openReplace(): void { openReplacing(this.view); }
  /** Goes to the next or previous match of what was looked for last. */
  findAgain(step: 1 | -1): void { (step > 0 ? findNext : findPrevious)(this.view); }

  /** Goes to the next or previous edit that waits for review. */
  goToEdit(step: 1 | -1): void { goToEdit(step)(this.view); }

  goToFirstEdit(): void { goToFirstEdit(this.view); }
  /** Decides the edit at the cursor. */
  decideHere(verdict: Verdict): void { decideHere(verdict)(this.view); }

  /** What stands where; for a text opened just now it waits for the language, whose tree tells. */
  overview(): Promise<Overview> { return this.#coloured.then(() => overviewOf(this.view.state)); }

  destroy(): void { this.view.destroy(); }
  /** How a text was left. Another part of a large one is another text. */
  #keptOf({ path, part }: ViewedText): Kept | undefined {
    const kept = this.#kept.get(path);
    if (kept?.part?.number === part?.number) return kept;
    this.#kept.delete(path);
    return undefined;
  }

  /** Notes where the shown text is left. */
  notePlace(): void { if (this.#path !== null) this.#left.note(this.#path, this.#kept.get(this.#path)?.part); }

  #keep(): void {
    this.notePlace();
    const kept = this.#path === null ? undefined : this.#kept.get(this.#path);
    if (!kept) return;
    kept.state = this.view.state;
    kept.scroll = this.view.scrollSnapshot();
  }

  /** Whether all that was read and drawn of the shown text stays: it is the same, or became live in the very words that it has. */
  #stays(viewed: ViewedText, kept: Kept, live: LiveText | null): boolean {
    if (kept.live !== live) {
      if (!live || !reads(this.view.state.doc, live.content)) return false;
      kept.live = live;
      kept.hash = viewed.hash;
      this.view.dispatch({ effects: StateEffect.reconfigure.of(this.#extensions(viewed, live)) });
      lookAgain(this.view, live);
      this.#review?.onStanding(viewed.path, standingOf(this.view.state));
      this.early.write(viewed.path, this.view);
    } else this.#update(viewed);
    return true;
  }

  /** A text became live, or is another one: the same place in it, in a state of its own. */
  #renew(viewed: ViewedText, kept: Kept): Kept {
    const state = this.#newState(viewed);
    const within = (at: number) => Math.min(at, state.doc.length);
    const { anchor, head } = kept.state.selection.main;
    const renewed = state.update({ selection: { anchor: within(anchor), head: within(head) } }).state;
    const fresh: Kept = { state: renewed, hash: viewed.hash, live: viewed.live ?? null, part: kept.part, scroll: kept.scroll };
    this.#kept.set(viewed.path, fresh);
    return fresh;
  }

  /** Changes only what differs, so that scroll and selection stay where they are. */
  #update(viewed: ViewedText): void {
    const kept = this.#kept.get(viewed.path);
    if (kept?.live) {
      catchUp(this.view, kept.live);
      lookAgain(this.view, kept.live);
    }
    if (!kept || kept.live || kept.hash === viewed.hash) return;
    kept.hash = viewed.hash;
    const change = difference(this.view.state.doc, viewed.text);
    if (change) this.view.dispatch({ changes: change });
  }

  /** Goes to the top while the text before it stands there: asked later, all of the new one would be laid out twice. */
  #newStateAtTop(viewed: ViewedText): EditorState { this.view.scrollDOM.scrollTop = 0; return this.#newState(viewed); }
  #newState(viewed: ViewedText): EditorState {
    const live = viewed.live ?? null;
    const doc = live ? textOf(live) : Text.of(viewed.text.split(/\r\n?|\n/));
    return EditorState.create({ doc, selection: { anchor: beginningOf(viewed, doc) }, extensions: this.#extensions(viewed, live) });
  }

  #extensions(viewed: ViewedText, live: LiveText | null): Extension {
    const { path } = viewed;
    const name = nameOf(path);
    const prose = isProse(name);
    return [
      textBasics(viewed, live),
      this.#shape.of(this.#shapeOf(path)),
      this.#dimming.of(this.#dimmingOf(path)),
      this.#wrapping.of(this.#wrappingOf()),
      // Counting a large text is work, and what people wait for is to write in it.
      live || viewed.part ? counting((counts) => { this.#count(path, counts); }) : [],
      live ? liveBinding(live, () => { this.#save(path); }, () => { this.#edited(path); }) : this.early.shown(viewed),
      // A language that is here already is part of the state from the start: what is shown is drawn once.
      this.#language.of(languageOfText(viewed.path, viewed.text)?.support ?? []),
      this.#beside,
      live && this.#ghost ? suggesting(live, this.#ghost) : [],
      live && this.#review ? reviewOf(live, !prose, () => this.#isRendered && isMarkdown(name), this.#review) : [],
      this.#cites(path),
      this.#links(path, live),
      live && this.#threads ? threadMarks({ live, around: this.#threads }) : [],
    ];
  }

  #cites(path: string): Extension { return this.#citing && isMarkdown(nameOf(path)) ? citing({ path, around: this.#citing, isRendered: () => this.#isRendered }) : PLAIN; }
  #links(path: string, live: LiveText | null): Extension { return live && this.#notes && isMarkdown(nameOf(path)) ? [noteLinks(path, this.#notes), this.#pasting ? pasting(this.#pasting(path)) : PLAIN] : PLAIN; }
  async #loadLanguage(viewed: ViewedText): Promise<void> {
    const description = languageOfText(viewed.path, viewed.text);
    if (!description) return;
    const support = description.support ?? (await description.load());
    // The tab may have changed while the language was on its way.
    if (this.#path !== viewed.path || this.#language.get(this.view.state) === support) return;
    this.view.dispatch({ effects: this.#language.reconfigure(support) });
  }
}
