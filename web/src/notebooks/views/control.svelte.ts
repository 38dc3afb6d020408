/** What a person does in a notebook: selecting, editing, running, and the cells as wholes. */
import { SvelteSet } from "svelte/reactivity";
import type { KernelAction } from "../../api";
import type { Cell, CellEdit, CellEditor, CellEditorOptions, CellKind, GoneCells, NotebookText, ReviewAround } from "../../editor";
import type { NotebookState } from "../state/notebook.svelte";

/** What the control asks of the page around it. */
export interface ControlOptions {
  projectId: string;
  text: NotebookText;
  state: NotebookState;
  makeEditor: (place: HTMLElement, options: CellEditorOptions) => CellEditor;
  review: ReviewAround;
  background: (work: Promise<unknown>) => void;
  save: () => void;
  edited: () => void;
  /** Says something about a cell to the AI. */
  ask: (words: string) => void;
  /** The name of a file in a language. */
  filename: (language: string) => string;
}

type Then = "stay" | "next" | "insert";

export class NotebookControl {
  readonly projectId: string;
  readonly state: NotebookState;
  readonly text: NotebookText;
  cells = $state.raw<readonly Cell[]>([]);
  gone = $state.raw<readonly GoneCells[]>([]);
  selected = $state<string | null>(null);
  /** The cell whose editor has the focus. */
  editing = $state<string | null>(null);
  wantsFocus = $state(false);
  readonly folded = new SvelteSet<string>();
  /** The cell that was cut or copied last. */
  #copied: { kind: CellKind; source: string } | null = null;
  /** Changes with what waits for review. */
  #reviews = $state(0);
  readonly #options: ControlOptions;
  readonly #editors = new Map<string, CellEditor>();
  readonly #stop: () => void;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.projectId = options.projectId;
    this.text = options.text;
    this.state = options.state;
    this.#look();
    this.selected = this.cells[0]?.id ?? null;
    this.#stop = options.text.onChange(() => { this.#look(); });
  }

  destroy(): void {
    this.#stop();
    this.text.destroy();
    this.state.close();
  }

  #look(): void {
    this.cells = this.text.cells;
    this.gone = this.text.gone();
    this.#reviews += 1;
    if (this.selected !== null && this.text.indexOf(this.selected) < 0) this.selected = this.cells[0]?.id ?? null;
  }

  editOf(id: string): CellEdit | null {
    return this.#reviews > 0 ? this.text.editOf(id) : null;
  }

  hasEdits(id: string): boolean {
    return this.#reviews > 0 && this.text.sourceOf(id).hunks().length > 0;
  }

  author(by: CellEdit["by"]): string {
    return this.#options.review.author(by);
  }

  decide(hunks: readonly string[], verdict: "accept" | "reject"): void {
    const { review } = this.text.live;
    if (review !== null) this.#options.background(this.#options.review.decide(review, hunks, verdict));
  }

  mount(place: HTMLElement, id: string): CellEditor {
    const kind = this.text.cell(id)?.kind;
    const filename = kind === "markdown" ? "cell.md" : kind === "raw" ? "cell.txt" : this.#options.filename(this.state.language);
    const editor = this.#options.makeEditor(place, {
      notebook: this.text,
      id,
      filename,
      label: kind === "code" ? "Code of the cell" : "Text of the cell",
      review: this.#options.review,
      keys: {
        run: (then) => { this.run(id, then); },
        leave: () => { this.command(id); },
        pass: (step) => this.#pass(id, step),
        split: (at) => { this.text.split(id, at); },
        save: this.#options.save,
        edited: this.#options.edited,
      },
    });
    editor.view.contentDOM.addEventListener("focus", () => { this.editing = id; });
    editor.view.contentDOM.addEventListener("blur", () => {
      // Later: a cell that is taken away loses the focus while the page is drawn, when nothing may change.
      queueMicrotask(() => { if (this.editing === id && !editor.view.hasFocus) this.editing = null; });
    });
    this.#editors.set(id, editor);
    if (this.editing === id && this.wantsFocus) {
      this.wantsFocus = false;
      editor.focus();
    }
    return editor;
  }

  unmount(id: string, editor: CellEditor): void {
    if (this.#editors.get(id) === editor) this.#editors.delete(id);
    editor.destroy();
  }

  select(id: string): void {
    this.selected = id;
  }

  /** Writes in a cell from now on. */
  edit(id: string, place?: "start" | "end"): void {
    this.selected = id;
    this.editing = id;
    const editor = this.#editors.get(id);
    if (editor) editor.focus(place);
    else this.wantsFocus = true;
  }

  /** Back to the keys that act on cells as wholes. */
  command(id: string): void {
    this.selected = id;
    this.editing = null;
    this.wantsFocus = true;
  }

  run(id: string, then: Then): void {
    const cell = this.text.cell(id);
    if (!cell) return;
    if (cell.kind === "code" && cell.source.trim() !== "") this.#options.background(this.state.run([id]));
    const at = this.text.indexOf(id);
    if (then === "insert") this.edit(this.text.add(at + 1, "code"));
    else if (then === "next") {
      const next = this.cells[at + 1];
      if (next) this.command(next.id);
      else this.edit(this.text.add(at + 1, "code"));
    } else if (cell.kind === "markdown") this.command(id);
  }

  runAll(restart = false): void {
    this.#options.background(this.state.run(null, restart));
  }

  order(action: KernelAction, kernel: string | null = null): void {
    this.#options.background(this.state.order(action, kernel));
  }

  answer(id: string, value: string): void {
    this.#options.background(this.state.answer(id, value));
  }

  clear(): void {
    this.#options.background(this.state.clear(null));
  }

  add(index: number, kind: CellKind, isEdited = false): void {
    const id = this.text.add(index, kind);
    this.#options.edited();
    if (isEdited) this.edit(id);
    else this.command(id);
  }

  remove(id: string): void {
    const at = this.text.indexOf(id);
    this.text.remove(id);
    this.#options.edited();
    const next = this.cells[Math.min(at, this.cells.length - 1)];
    if (next) this.command(next.id);
  }

  copy(id: string): void {
    const cell = this.text.cell(id);
    if (cell) this.#copied = { kind: cell.kind, source: cell.source };
  }

  cut(id: string): void {
    this.copy(id);
    this.remove(id);
  }

  /** Puts what was cut or copied above a cell, or below it. */
  paste(id: string, step: 0 | 1): void {
    if (!this.#copied) return;
    const made = this.text.add(this.text.indexOf(id) + step, this.#copied.kind, this.#copied.source);
    this.#options.edited();
    this.command(made);
  }

  move(id: string, step: 1 | -1): void {
    this.text.move(id, step);
    this.#options.edited();
    this.command(id);
  }

  setKind(id: string, kind: CellKind): void {
    this.text.setKind(id, kind);
    this.#options.edited();
    this.command(id);
  }

  merge(id: string): void {
    this.text.merge(id);
    this.command(id);
  }

  toggleFold(id: string): void {
    if (!this.folded.delete(id)) this.folded.add(id);
  }

  undo(): void { this.text.live.undo.undo(); }
  redo(): void { this.text.live.undo.redo(); }

  ask(number: number, error: string): void {
    this.#options.ask(`Cell ${String(number)} of ${this.state.path} fails: ${error}`);
  }

  /** Selects the next or the previous cell. */
  step(id: string, step: 1 | -1): void {
    const next = this.cells[this.text.indexOf(id) + step];
    if (next) this.command(next.id);
  }

  #pass(id: string, step: 1 | -1): boolean {
    const next = this.cells[this.text.indexOf(id) + step];
    if (!next) return false;
    if (next.kind === "markdown") this.command(next.id);
    else this.edit(next.id, step > 0 ? "start" : "end");
    return true;
  }
}
