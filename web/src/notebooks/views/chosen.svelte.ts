/** The cells that the keys of command mode act on: the selected one, or several in a row. */
import type { Cell, CellKind, NotebookText } from "../../editor";

/** What of a notebook this changes. */
interface Cells {
  readonly text: NotebookText;
  readonly cells: readonly Cell[];
  readonly selected: string | null;
  command(id: string): void;
  edited(): void;
  runCells(ids: readonly string[]): void;
  goOn(id: string, then: "stay" | "next" | "insert"): void;
}

/** The cells that were cut or copied last, in whichever notebook. */
let copied: readonly { kind: CellKind; source: string }[] = [];

export class ChosenCells {
  readonly #of: Cells;
  /** Where several were begun to be selected; null while one is. */
  #anchor = $state<string | null>(null);

  constructor(cells: Cells) {
    this.#of = cells;
  }

  get areSeveral(): boolean {
    return this.#anchor !== null && this.#anchor !== this.#of.selected;
  }

  /** Them, as they stand. */
  get ids(): readonly string[] {
    const { cells, selected, text } = this.#of;
    if (selected === null) return [];
    const [first = 0, last = 0] = [text.indexOf(this.#anchor ?? selected), text.indexOf(selected)].sort((one, other) => one - other);
    return cells.slice(Math.max(0, first), last + 1).map(({ id }) => id);
  }

  /** Only the selected one from now on. */
  forget(): void {
    this.#anchor = null;
  }

  /** Selects one more cell, or one less. */
  extend(id: string, step: 1 | -1): void {
    const next = this.#of.cells[this.#of.text.indexOf(id) + step];
    if (next) this.#choose(this.#anchor ?? id, next.id);
  }

  all(): void {
    const [first] = this.#of.cells;
    if (first) this.#choose(first.id, this.#of.cells.at(-1)?.id ?? first.id);
  }

  remove(): void {
    const { ids } = this;
    const at = this.#of.text.indexOf(ids[0] ?? "");
    this.#each((id) => { this.#of.text.remove(id); }, ids);
    const next = this.#of.cells[Math.min(at, this.#of.cells.length - 1)];
    if (next) this.#of.command(next.id);
  }

  copy(): void {
    copied = this.ids.flatMap((id) => this.#of.text.cell(id) ?? []).map(({ kind, source }) => ({ kind, source }));
  }

  cut(): void {
    this.copy();
    this.remove();
  }

  /** Puts what was cut or copied above a cell, or below it. */
  paste(id: string, step: 0 | 1): void {
    if (copied.length === 0) return;
    const at = this.#of.text.indexOf(id) + step;
    const made: string[] = [];
    this.#of.text.together(() => { copied.forEach(({ kind, source }, index) => { made.push(this.#of.text.add(at + index, kind, source)); }); });
    this.#of.edited();
    this.#choose(made[0] ?? id, made.at(-1) ?? id);
  }

  move(step: 1 | -1): void {
    const { ids } = this;
    const edge = this.#of.text.indexOf((step < 0 ? ids[0] : ids.at(-1)) ?? "") + step;
    if (edge >= 0 && edge < this.#of.cells.length) this.#each((id) => { this.#of.text.move(id, step); }, step < 0 ? ids : [...ids].reverse());
  }

  setKind(kind: CellKind): void {
    this.#each((id) => { this.#of.text.setKind(id, kind); });
  }

  setHeading(level: number): void {
    this.#each((id) => { this.#of.text.setHeading(id, level); });
  }

  /** Makes one cell of them; of a single one and the next. */
  merge(): void {
    const [first, ...others] = this.ids;
    if (first === undefined) return;
    this.#of.text.together(() => { for (let left = Math.max(1, others.length); left > 0; left -= 1) this.#of.text.merge(first); });
    this.#of.edited();
    this.#of.command(first);
  }

  run(then: "stay" | "next" | "insert"): void {
    const { ids } = this;
    const last = ids.at(-1);
    if (last === undefined) return;
    this.#of.runCells(ids);
    this.#of.goOn(last, then);
  }

  #choose(first: string, last: string): void {
    this.#of.command(last);
    this.#anchor = first === last ? null : first;
  }

  /** Does something with every one, as one step of the undo, and keeps them selected. */
  #each(act: (id: string) => void, ids: readonly string[] = this.ids): void {
    const first = this.#anchor;
    const last = this.#of.selected;
    this.#of.text.together(() => { for (const id of ids) act(id); });
    this.#of.edited();
    if (last !== null && this.#of.text.cell(last)) this.#choose(first !== null && this.#of.text.cell(first) ? first : last, last);
  }
}
