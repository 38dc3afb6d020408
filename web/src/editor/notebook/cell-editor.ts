/** The editor of one cell: a part of the notebook's shared text, with colours, review and undo like any other text. */
import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { selectNextOccurrence } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { colouring } from "../syntax/colouring";
import { indentation } from "../syntax/indentation";
import { languageOf } from "../syntax/languages";
import { authorship } from "../authorship";
import type { GhostSource } from "../ghost";
import { writeEdits } from "../live/binding";
import { codeLook, highlight, phrases } from "../look";
import { cellTexts } from "../rendered";
import { review } from "../review";
import { watchSelection } from "../selection";
import { suggestingInPart } from "../suggesting";
import type { ReviewAround } from "../surroundings";
import { tabKeys } from "../keys/tab-keys";
import { typingOver } from "../keys/typing-over";
import { brackets, severalCursors } from "../writing";
import { threadMarksInPart } from "../threads";
import { codeHelp, type KernelKnowledge } from "./code-help";
import { cellsAround } from "./cells-around";
import { ghostRoom } from "./ghost-room";
import { foundMarks } from "./found";
import type { NotebookText } from "./notebook-text";
import type { NotebookViewer } from "./notebook-viewer";
import { withoutMarks } from "./without-marks";

/** What the page does when keys are pressed in a cell. */
export interface CellKeys {
  run: (then: "stay" | "next" | "insert") => void;
  leave: () => void;
  /** The cursor wants out of the cell, up or down. */
  pass: (step: 1 | -1) => boolean;
  split: (at: number) => void;
  save: () => void;
  edited: () => void;
}

export interface CellEditorOptions {
  notebook: NotebookText;
  id: string;
  /** A file name in the language of the cell. */
  filename: string;
  label: string;
  keys: CellKeys;
  review: ReviewAround;
  /** Who suggests how a cell goes on. */
  ghost: GhostSource;
  /** What the kernel knows of the code; null for a cell without code. */
  knowledge: KernelKnowledge | null;
  /** What is known of the notebook as a whole. */
  viewer: NotebookViewer;
}

const fromText = Annotation.define<true>();

export class CellEditor {
  readonly view: EditorView;
  readonly #language = new Compartment();
  readonly #numbers = new Compartment();
  readonly #detach: () => void;

  constructor(parent: HTMLElement, options: CellEditorOptions) {
    const doc = options.notebook.cell(options.id)?.source ?? "";
    this.view = new EditorView({ parent, state: EditorState.create({ doc, extensions: this.#extensions(options) }) });
    this.#detach = options.viewer.attach(options.id, this.view);
    this.#colour(options.filename).catch(console.error);
  }

  focus(place?: "start" | "end"): void {
    if (place) this.view.dispatch({ selection: { anchor: place === "start" ? 0 : this.view.state.doc.length } });
    this.view.focus();
  }

  /** Shows the numbers of its lines, or hides them. */
  setNumbered(isNumbered: boolean): void {
    this.view.dispatch({ effects: this.#numbers.reconfigure(isNumbered ? lineNumbers() : []) });
  }

  /** Selects a place, and writes on there with `focus`. */
  select(from: number, to: number, focus: boolean): void {
    const { length } = this.view.state.doc;
    this.view.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) }, scrollIntoView: true });
    if (focus) this.view.focus();
  }

  destroy(): void {
    this.#detach();
    this.view.destroy();
  }

  #extensions({ notebook, id, filename, label, keys, review: around, ghost, knowledge, viewer }: CellEditorOptions): Extension {
    const { live } = notebook;
    const isProse = filename.endsWith(".md");
    const act = (run: () => unknown) => () => {
      run();
      return true;
    };
    const source = notebook.sourceOf(id);
    return [
      // Behind the keys of reviewing: where an edit is at the cursor, Mod-Enter accepts it.
      Prec.high(keymap.of([
        { key: "Shift-Enter", run: act(() => { keys.run("next"); }) },
        { key: "Mod-Enter", run: act(() => { keys.run("stay"); }) },
        { key: "Alt-Enter", run: act(() => { keys.run("insert"); }) },
        { key: "Escape", run: act(keys.leave) },
        { key: "Ctrl-Shift--", run: (view) => { keys.split(view.state.selection.main.head); return true; } },
        { key: "ArrowUp", run: (view) => isAtEdge(view, -1) && keys.pass(-1) },
        { key: "ArrowDown", run: (view) => isAtEdge(view, 1) && keys.pass(1) },
        { key: "Mod-z", run: act(() => live.undo.undo()), preventDefault: true },
        { key: "Mod-y", mac: "Mod-Shift-z", run: act(() => live.undo.redo()), preventDefault: true },
        { key: "Mod-Shift-z", run: act(() => live.undo.redo()), preventDefault: true },
        { key: "Mod-s", run: act(keys.save), preventDefault: true },
        { key: "Mod-d", run: selectNextOccurrence, preventDefault: true },
      ])),
      Prec.highest(review({ decide: around.decide, author: around.author, source, isCode: true, reading: () => null, isSetAsCode: () => true, tablesOf: () => [], cellsOf: cellTexts }, () => undefined)),
      codeLook,
      bracketMatching(),
      brackets(isProse),
      severalCursors,
      isProse ? EditorView.lineWrapping : [],
      ViewPlugin.define((view) => new CellBinding(view, notebook, id, keys.edited)),
      suggestingInPart(live, ghost, filename, (language) => cellsAround(notebook.cells, id, language)),
      // Behind the keys of a suggestion that shows.
      knowledge ? codeHelp(knowledge) : [],
      ghostRoom,
      authorship(() => undefined),
      threadMarksInPart({ live, around: viewer.around.threads, part: () => partOfCell(notebook, id) }),
      foundMarks,
      watchSelection((found) => { viewer.around.onSelection(id, found); }),
      EditorView.updateListener.of(({ view, selectionSet, focusChanged }) => { if (view.hasFocus && (selectionSet || focusChanged)) viewer.enter(id, view); }),
      withoutMarks,
      typingOver,
      EditorState.lineSeparator.of("\n"),
      EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n").replaceAll("\x1f", "")),
      EditorState.phrases.of(phrases),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: String(isProse) }),
      drawSelection(),
      highlightSpecialChars(),
      colouring(highlight),
      indentation(filename, null),
      tabKeys(isProse),
      keymap.of(defaultKeymap),
      this.#language.of([]),
      this.#numbers.of([]),
    ];
  }

  async #colour(filename: string): Promise<void> {
    const description = languageOf(filename);
    if (!description) return;
    const support = description.support ?? (await description.load());
    this.view.dispatch({ effects: this.#language.reconfigure(support) });
  }
}

function partOfCell(notebook: NotebookText, id: string): { from: number; to: number } | null {
  const cell = notebook.cell(id);
  return cell ? { from: cell.start, to: cell.start + cell.source.length } : null;
}

/** Whether the cursor is where another step would leave the text. */
function isAtEdge({ state }: EditorView, step: 1 | -1): boolean {
  const { empty, head } = state.selection.main;
  const line = state.doc.lineAt(head).number;
  return empty && (step < 0 ? line === 1 && head === 0 : line === state.doc.lines && head === state.doc.length);
}

class CellBinding {
  readonly #view: EditorView;
  readonly #notebook: NotebookText;
  readonly #id: string;
  readonly #edited: () => void;
  readonly #stop: () => void;
  #isWriting = false;

  constructor(view: EditorView, notebook: NotebookText, id: string, edited: () => void) {
    this.#view = view;
    this.#notebook = notebook;
    this.#id = id;
    this.#edited = edited;
    this.#stop = notebook.onChange(() => { if (!this.#isWriting) this.#show(); });
  }

  update(update: ViewUpdate): void {
    const { docChanged, transactions } = update;
    if (!docChanged || transactions.some((transaction) => transaction.annotation(fromText))) return;
    const start = this.#notebook.cell(this.#id)?.start;
    if (start === undefined) return;
    this.#isWriting = true;
    try {
      writeEdits(this.#notebook.live, update, start);
    } finally {
      this.#isWriting = false;
    }
    this.#edited();
  }

  destroy(): void { this.#stop(); }

  /** Brings in what others wrote, as the smallest change, so that the cursor stays. */
  #show(): void {
    const fresh = this.#notebook.cell(this.#id)?.source;
    const old = this.#view.state.doc.toString();
    if (fresh === undefined || fresh === old) return;
    const shorter = Math.min(old.length, fresh.length);
    let from = 0;
    while (from < shorter && old.charCodeAt(from) === fresh.charCodeAt(from)) from += 1;
    let end = 0;
    while (end < shorter - from && old.charCodeAt(old.length - 1 - end) === fresh.charCodeAt(fresh.length - 1 - end)) end += 1;
    this.#view.dispatch({ changes: { from, to: old.length - end, insert: fresh.slice(from, fresh.length - end) }, annotations: fromText.of(true) });
  }
}
