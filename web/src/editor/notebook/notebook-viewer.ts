/**
 * A notebook as one text: where threads are, who wrote what, what a search finds. Nobody sees this editor but for its
 * find bar; the editors of the cells show their parts of what it knows, and tell it where the person is.
 */
import { findNext, findPrevious, getSearchQuery, searchPanelOpen } from "@codemirror/search";
import { EditorState, type StateEffect, Transaction } from "@codemirror/state";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import { type Authored, authoredIn, authorship, partOf, setAuthored, type TellAuthor } from "../authorship";
import { finding, openFinding, openReplacing } from "../find";
import { placesOf } from "../find/tally";
import { suggest } from "../ghost";
import { liveBinding } from "../live/binding";
import { textOf } from "../live/live-text";
import { type Passage, passageIn } from "../passage";
import { decideHere, type Verdict } from "../review";
import { dismissSelection, type Resting } from "../selection";
import { looksIn, setThreads, TextThreads, type ThreadLook, type ThreadsAround, threadsIn, threadsUnseen } from "../threads";
import { format, type Format } from "../writing";
import type { Cell } from "./cells-text";
import { setFound } from "./found";
import type { NotebookText } from "./notebook-text";
import { withoutMarks } from "./without-marks";

export interface NotebookAround {
  notebook: NotebookText;
  threads: ThreadsAround;
  /** Shows a place of a cell; with `focus` the person writes on there. */
  show: (id: string, from: number, to: number, focus: boolean) => void;
  /** The person is back among the cells. */
  focus: () => void;
  /** Hears of a selection that rests in a cell's editor. */
  onSelection: (cell: string, found: Resting | null) => void;
  onAuthor: TellAuthor;
  onText: () => void;
  /** Threads came, went or changed. */
  onThreads: () => void;
  edited: () => void;
  save: () => void;
}

interface Landmark {
  title: string;
  depth: number;
  line: number;
}

export class NotebookViewer {
  readonly around: NotebookAround;
  readonly threads: { selected: TextThreads["selected"]; here: TextThreads["here"]; step: TextThreads["step"]; show: TextThreads["show"]; goTo: TextThreads["goTo"] };
  readonly #whole: EditorView;
  readonly #cells = new Map<string, EditorView>();
  /** The cell that the person was in last. */
  #active: string | null = null;

  constructor(parent: HTMLElement, around: NotebookAround) {
    this.around = around;
    const { live } = around.notebook;
    this.#whole = new EditorView({
      parent,
      state: EditorState.create({
        doc: textOf(live),
        extensions: [
          liveBinding(live, around.save, around.edited),
          withoutMarks,
          finding({ endStep: () => { live.undo.stopCapturing(); }, counts: (_words, _state, from, to) => this.#cellOf(from, to) !== null }),
          threadsUnseen({ live, around: around.threads }),
          authorship(around.onAuthor),
          EditorView.updateListener.of((update) => { this.#follow(update); }),
        ],
      }),
    });
    const threads = new TextThreads(this.#whole);
    const going = (found: boolean) => {
      if (found) this.#reveal(true);
      return found;
    };
    this.threads = {
      selected: () => threads.selected(),
      here: () => threads.here(),
      show: (path, looks) => threads.show(path, looks),
      goTo: (id) => going(threads.goTo(id)),
      step: (step) => {
        const id = threads.step(step);
        going(id !== null);
        return id;
      },
    };
  }

  /** The editor of a cell shows its part from now on, until what this answers is called. */
  attach(id: string, view: EditorView): () => void {
    this.#cells.set(id, view);
    view.dispatch({ effects: this.#partsFor(id) });
    return () => {
      if (this.#cells.get(id) === view) this.#cells.delete(id);
    };
  }

  /** The person is at a place of a cell. */
  enter(id: string, view: EditorView): void {
    const start = this.around.notebook.cell(id)?.start;
    if (start === undefined) return;
    this.#active = id;
    const { anchor, head } = view.state.selection.main;
    const end = this.#whole.state.doc.length;
    this.#whole.dispatch({ selection: { anchor: Math.min(start + anchor, end), head: Math.min(start + head, end) } });
  }

  /** The threads of a cell, for one that shows no editor. */
  threadsOf(id: string): ThreadLook[] {
    const cell = this.around.notebook.cell(id);
    if (!cell) return [];
    return threadsIn(this.#whole.state, cell.start, cell.start + cell.source.length).map(({ look }) => look).filter(({ name }) => name !== null);
  }

  destroy(): void { this.#whole.destroy(); }

  openFind(): void { openFinding(this.#whole); }

  openReplace(): void {
    openFinding(this.#whole);
    openReplacing(this.#whole);
  }

  findAgain(step: 1 | -1): void { (step > 0 ? findNext : findPrevious)(this.#whole); }

  suggest(): void {
    const view = this.#view();
    if (view) suggest(view);
  }

  focus(): void { this.around.focus(); }

  canFormat(): boolean {
    return this.#view()?.hasFocus === true && this.around.notebook.cell(this.#active ?? "")?.kind === "markdown";
  }

  format(wanted: Format): void {
    const view = this.#view();
    if (view) format(view, wanted);
  }

  insert(text: string): void {
    const view = this.#view();
    view?.dispatch(view.state.replaceSelection(text), { userEvent: "input", scrollIntoView: true });
  }

  passage(): Passage | null {
    const view = this.#view();
    return view ? passageIn(view.state, this.around.notebook.live.path) : null;
  }

  selected(): { path: string; start: number; end: number } | null {
    const { main } = this.#whole.state.selection;
    return main.empty ? null : { path: this.around.notebook.live.path, start: main.from, end: main.to };
  }

  dismissSelection(): void { this.#view()?.dispatch({ effects: dismissSelection.of(null) }); }

  get text(): string { return this.around.notebook.cells.map(({ source }) => source).join("\n\n"); }

  /** Marks the cells by their authors; false when these belong to another text, or to another moment of it. */
  mark(path: string, authored: Authored): boolean {
    const { live } = this.around.notebook;
    const end = authored.spans.at(-1)?.to ?? this.#whole.state.doc.length;
    if (live.path !== path || end !== this.#whole.state.doc.length) return false;
    this.#whole.dispatch({ effects: setAuthored.of(authored) });
    return true;
  }

  goTo(line: number, column: number): void {
    const { doc } = this.#whole.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines));
    this.#goToPlace(Math.min(at.to, at.from + Math.max(0, column - 1)));
  }

  /** Goes to a line of the notebook's file, which holds the cells' words in strings; false when it holds none of theirs. */
  goToLineOfFile(file: string, line: number): boolean {
    const lines = file.split("\n").map(wordsIn);
    const wanted = lines[line - 1] ?? null;
    if (wanted === null) return false;
    const before = lines.slice(0, line - 1).filter((words) => words === wanted).length;
    const places = this.around.notebook.cells.flatMap((cell) => placesOfLine(cell, wanted));
    const found = places[before] ?? places.at(-1);
    if (found) this.around.show(found.id, found.at, found.at + wanted.length, true);
    return found !== undefined;
  }

  goToEdit(step: 1 | -1): void {
    const { head } = this.#whole.state.selection.main;
    const places = this.around.notebook.live.hunks().map(({ from }) => from).sort((one, other) => one - other);
    const at = step > 0 ? (places.find((from) => from > head) ?? places[0]) : (places.findLast((from) => from < head) ?? places.at(-1));
    if (at !== undefined) this.#goToPlace(at);
  }

  decideHere(verdict: Verdict): void {
    const view = this.#view();
    if (view) decideHere(verdict)(view);
  }

  /** The headings of text cells, each by its line in the whole. */
  overview(): Promise<{ landmarks: Landmark[]; here: number; line: number; lines: number }> {
    const { doc, selection } = this.#whole.state;
    const landmarks = this.around.notebook.cells.filter(({ kind }) => kind === "markdown").flatMap((cell) => headingsIn(cell, (at) => doc.lineAt(at).number));
    const line = doc.lineAt(selection.main.head).number;
    return Promise.resolve({ landmarks, here: landmarks.findLastIndex((one) => one.line <= line), line, lines: doc.lines });
  }

  #view(): EditorView | null {
    return this.#active === null ? null : (this.#cells.get(this.#active) ?? null);
  }

  #goToPlace(at: number): void {
    this.#whole.dispatch({ selection: { anchor: at } });
    this.#reveal(true);
  }

  /** The cell in whose words a stretch is; null when it is in none, or in more than one. */
  #cellOf(from: number, to: number): Cell | null {
    return this.around.notebook.cells.find(({ start, source }) => from >= start && to <= start + source.length) ?? null;
  }

  #reveal(focus: boolean): void {
    const { from, to } = this.#whole.state.selection.main;
    const cell = this.#cellOf(from, to) ?? this.around.notebook.cells.find(({ end }) => end >= from);
    if (!cell) return;
    const within = (at: number) => Math.max(0, Math.min(at - cell.start, cell.source.length));
    this.#active = cell.id;
    this.around.show(cell.id, within(from), within(to), focus);
  }

  #follow(update: ViewUpdate): void {
    const { docChanged, transactions, startState, state } = update;
    const effects = transactions.flatMap((one) => one.effects);
    const isNew = effects.some((effect) => effect.is(setThreads));
    if (docChanged) this.around.onText();
    if (isNew || effects.some((effect) => effect.is(setAuthored)) || findsOthers(update)) {
      for (const [id, view] of this.#cells) view.dispatch({ effects: this.#partsFor(id) });
    }
    if (isNew || docChanged) this.around.onThreads();
    if (transactions.some((one) => isFound(one.annotation(Transaction.userEvent)))) this.#reveal(false);
    if (searchPanelOpen(startState) && !searchPanelOpen(state)) this.around.focus();
  }

  #partsFor(id: string): StateEffect<unknown>[] {
    const { state } = this.#whole;
    const cell = this.around.notebook.cell(id);
    if (!cell) return [];
    const last = cell.start + cell.source.length;
    const { main } = state.selection;
    const found = searchPanelOpen(state) ? placesOf(getSearchQuery(state), state).filter(({ from, to }) => from >= cell.start && to <= last) : [];
    return [
      setThreads.of(looksIn(state)),
      setAuthored.of(partOf(authoredIn(state), cell.start, last)),
      setFound.of(found.map(({ from, to }) => ({ from: from - cell.start, to: to - cell.start, isChosen: from === main.from && to === main.to }))),
    ];
  }
}

/** Whether a search has gone on to its next match; one that replaced all of them goes nowhere. */
function isFound(event: string | undefined): boolean {
  return event === "select.search" || event === "input.replace";
}

/** Whether a search finds other places now, or another one of them is chosen. */
function findsOthers({ docChanged, selectionSet, startState, state }: ViewUpdate): boolean {
  const isOpen = searchPanelOpen(state);
  if (searchPanelOpen(startState) !== isOpen) return true;
  return isOpen && (docChanged || selectionSet || !getSearchQuery(startState).eq(getSearchQuery(state)));
}

function headingsIn(cell: Cell, lineAt: (at: number) => number): Landmark[] {
  const found: Landmark[] = [];
  let isCode = false;
  let at = cell.start;
  for (const line of cell.source.split("\n")) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (heading) found.push({ title: heading[2] ?? "", depth: heading[1]?.length ?? 1, line: lineAt(at) });
    at += line.length + 1;
  }
  return found;
}

/** The words of a line of a notebook's file: it is one string of a list, or the only one. */
function wordsIn(line: string): string | null {
  const found = /^\s*(?:"source":\s*)?(?:\[\s*)?("(?:[^"\\]|\\.)*")\s*\]?,?\r?$/.exec(line)?.[1];
  if (found === undefined) return null;
  const words: unknown = JSON.parse(found);
  return typeof words === "string" ? words.replace(/\n$/, "") : null;
}

function placesOfLine({ id, source }: Cell, words: string): { id: string; at: number }[] {
  let at = 0;
  return source.split("\n").flatMap((line) => {
    const here = at;
    at += line.length + 1;
    return line === words ? [{ id, at: here }] : [];
  });
}
