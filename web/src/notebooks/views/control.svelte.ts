/** What a person does in a notebook: selecting, editing, running, and the cells as wholes. */
import { SvelteSet } from "svelte/reactivity";
import type { KernelAction } from "../../api";
import type { Cell, CellEdit, CellEditor, CellKind, GoneCells, NotebookText, NotebookViewer, ThreadLook } from "../../editor";
import type { NotebookState } from "../state/notebook.svelte";
import { toggleAll } from "../state/toggle-all";
import { ChosenCells } from "./chosen.svelte";
import type { ControlOptions } from "./control-options";
import { NumberedCells } from "./numbered";

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
  readonly viewer: NotebookViewer;
  /** The place that a cell shall show once it has its editor. */
  #wanted: { id: string; from: number; to: number; focus: boolean } | null = null;
  /** Changes with the threads of the cells. */
  #threads = $state(0);
  /** Cells whose outputs scroll in a box of their own. */
  readonly scrolling = new SvelteSet<string>();
  showsKeys = $state(false);
  /** The cells that the keys act on. */
  readonly chosen = new ChosenCells(this);
  /** Changes with what waits for review. */
  #reviews = $state(0);
  readonly #options: ControlOptions;
  readonly #editors = new Map<string, CellEditor>();
  readonly numbered = new NumberedCells(this.#editors);
  readonly #stop: () => void;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.projectId = options.projectId;
    this.text = options.text;
    this.state = options.state;
    this.viewer = options.makeViewer({
      notebook: options.text,
      threads: options.threads,
      show: (id, from, to, focus) => { this.show(id, from, to, focus); },
      focus: () => { this.focus(); },
      onSelection: options.onSelection,
      onAuthor: options.onAuthor,
      onText: options.onText,
      onThreads: () => { this.#threads += 1; },
      edited: options.edited,
      save: options.save,
    });
    this.#look();
    this.selected = this.cells[0]?.id ?? null;
    this.#stop = options.text.onChange(() => { this.#look(); });
  }

  destroy(): void {
    this.#stop();
    this.viewer.destroy();
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
      ghost: this.#options.ghost,
      knowledge: kind === "code" ? this.state : null,
      viewer: this.viewer,
      keys: {
        run: (then) => { this.run(id, then); },
        leave: () => { this.command(id); },
        pass: (step) => this.#pass(id, step),
        split: (at) => { this.text.split(id, at); },
        save: this.#options.save,
        edited: this.#options.edited,
      },
    });
    editor.setNumbered(this.numbered.has(id));
    editor.view.contentDOM.addEventListener("focus", () => { this.editing = id; });
    editor.view.contentDOM.addEventListener("blur", () => {
      // Later: a cell that is taken away loses the focus while the page is drawn, when nothing may change.
      queueMicrotask(() => { if (this.editing === id && !editor.view.hasFocus) this.editing = null; });
    });
    this.#editors.set(id, editor);
    const wanted = this.#wanted?.id === id ? this.#wanted : null;
    if (wanted) {
      this.#wanted = null;
      editor.select(wanted.from, wanted.to, wanted.focus);
    } else if (this.editing === id && this.wantsFocus) {
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
    if (id !== this.selected) this.chosen.forget();
    this.selected = id;
  }

  /** Writes in a cell from now on. */
  edit(id: string, place?: "start" | "end"): void {
    this.chosen.forget();
    this.selected = id;
    this.editing = id;
    const editor = this.#editors.get(id);
    if (editor) editor.focus(place);
    else this.wantsFocus = true;
  }

  /** Shows a place of a cell in its editor, and writes on there with `focus`. */
  show(id: string, from: number, to: number, focus: boolean): void {
    this.selected = id;
    this.editing = id;
    const editor = this.#editors.get(id);
    if (editor) editor.select(from, to, focus);
    else this.#wanted = { id, from, to, focus };
  }

  /** Back among the cells: into the one that shows its editor, or to the selected one. */
  focus(): void {
    const editor = this.editing === null ? undefined : this.#editors.get(this.editing);
    if (editor) editor.focus();
    else if (this.selected !== null) this.command(this.selected);
  }

  /** The box of a cell's editor on the screen. */
  boxOf(id: string): DOMRect | null {
    return this.#editors.get(id)?.view.dom.getBoundingClientRect() ?? null;
  }

  /** The threads of a cell that shows no editor. */
  threadsOf(id: string): readonly ThreadLook[] {
    return this.#threads >= 0 && !this.#editors.has(id) ? this.viewer.threadsOf(id) : [];
  }

  openThread(id: string): void {
    this.#options.threads.open(id);
  }

  /** Back to the keys that act on cells as wholes. */
  command(id: string): void {
    this.chosen.forget();
    this.selected = id;
    this.editing = null;
    this.wantsFocus = true;
  }

  run(id: string, then: Then): void {
    this.runCells([id]);
    this.goOn(id, then);
  }

  /** Goes on after a cell was run. */
  goOn(id: string, then: Then): void {
    const at = this.text.indexOf(id);
    if (at < 0) return;
    if (then === "insert") this.edit(this.text.add(at + 1, "code"));
    else if (then === "next") {
      const next = this.cells[at + 1];
      if (next) this.command(next.id);
      else this.edit(this.text.add(at + 1, "code"));
    } else this.command(id);
  }

  runAll(restart = false): void {
    this.#options.background(this.state.run(null, restart));
  }

  /** Runs the cells above the selected one; or that one and those below. */
  runBeside(side: "above" | "below"): void {
    const at = this.text.indexOf(this.selected ?? "");
    if (at >= 0) this.runCells((side === "above" ? this.cells.slice(0, at) : this.cells.slice(at)).map(({ id }) => id));
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

  foldChosen(): void { toggleAll(this.folded, this.chosen.ids); }
  scrollChosen(): void { toggleAll(this.scrolling, this.chosen.ids); }

  /** Runs cells in their order, those with code. */
  runCells(ids: readonly string[]): void {
    const code = this.cells.filter(({ id, kind, source }) => ids.includes(id) && kind === "code" && source.trim() !== "").map(({ id }) => id);
    if (code.length > 0) this.#options.background(this.state.run(code));
  }

  edited(): void { this.#options.edited(); }
  save(): void { this.#options.save(); }

  toggleFold(id: string): void {
    if (!this.folded.delete(id)) this.folded.add(id);
  }

  /** A cell that goes takes the focus with it: the keys go on at the one that is selected then. */
  undo(step: "undo" | "redo" = "undo"): void {
    const before = this.selected;
    this.text.live.undo[step]();
    if (this.selected !== null && this.selected !== before) this.command(this.selected);
  }

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
