/** Rows of a table that went, drawn as rows: each cell above the one that took its place. Tables are compared by cell. */
import { type EditorView, WidgetType } from "@codemirror/view";
import type { Old } from "./edits";
import { type Around, type OldAsRead, reviewing } from "./options";
import { isSameAround, isSameOld } from "./widgets";
import type { Span } from "./words";

export class OldRows extends WidgetType {
  constructor(
    readonly old: Old,
    readonly alignments: readonly string[],
    readonly cellsOf: (row: string) => readonly Span[],
    readonly around: Around | null,
  ) {
    super();
  }
  override eq(other: OldRows): boolean {
    return isSameOld(other.old, this.old) && other.alignments.join() === this.alignments.join() && isSameAround(other.around, this.around);
  }
  override toDOM(view: EditorView): HTMLElement {
    const rows = document.createElement("div");
    rows.className = "hunk-rows";
    rows.setAttribute("role", "rowgroup");
    rows.setAttribute("aria-label", "Removed");
    const read = (this.around && view.state.facet(reviewing)?.reading()?.draw(view, this.#wholeCells(), this.around, true)) ?? null;
    let at = 0;
    for (const line of this.old.text.split("\n")) {
      rows.append(this.#row(line, at, read));
      at += line.length + 1;
    }
    return rows;
  }
  override ignoreEvent(): boolean {
    return true;
  }

  /** Tables are compared by cell: where a word of one went, all of it has. */
  #wholeCells(): Old {
    const { text, removed } = this.old;
    let at = 0;
    const cells = text.split("\n").flatMap((line) => {
      const start = at;
      at += line.length + 1;
      return this.cellsOf(line).map(({ from, to }) => ({ from: start + from, to: start + to }));
    });
    return { text, removed: cells.filter(({ from, to }) => removed.some((gone) => gone.from < to && gone.to > from)) };
  }

  #row(line: string, at: number, read: OldAsRead | null): HTMLElement {
    const row = document.createElement("div");
    row.className = "hunk-row";
    row.setAttribute("role", "row");
    this.cellsOf(line).forEach(({ from, to }, index) => {
      const cell = row.appendChild(document.createElement("span"));
      cell.className = `cm-cell cm-cell-${this.alignments[index] ?? "start"}`;
      cell.setAttribute("role", "cell");
      if (read) read.fill(cell, at + from, at + to);
      else this.#fill(cell, at + from, at + to);
    });
    return row;
  }

  #fill(cell: HTMLElement, from: number, to: number): void {
    const { text, removed } = this.old;
    const isGone = removed.some((gone) => gone.from < to && gone.to > from);
    (isGone ? cell.appendChild(document.createElement("del")) : cell).append(text.slice(from, to));
  }
}
