/** The cells whose lines are numbered. */
import { SvelteSet } from "svelte/reactivity";
import type { CellEditor } from "../../editor";
import { toggleAll } from "../state/toggle-all";

export class NumberedCells {
  readonly #ids = new SvelteSet<string>();
  readonly #editors: ReadonlyMap<string, CellEditor>;

  constructor(editors: ReadonlyMap<string, CellEditor>) {
    this.#editors = editors;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Shows the numbers of cells' lines, or hides them. */
  toggle(ids: readonly string[]): void {
    toggleAll(this.#ids, ids);
    for (const id of ids) this.#editors.get(id)?.setNumbered(this.has(id));
  }
}
