/** Rows of a table that went, drawn as rows: each cell above the one that took its place. Tables are compared by cell. */
import { WidgetType } from "@codemirror/view";
import type { Old } from "./edits";
import { isSameOld } from "./widgets";
import type { Span } from "./words";

export class OldRows extends WidgetType {
  constructor(
    readonly old: Old,
    readonly alignments: readonly string[],
    readonly cellsOf: (row: string) => readonly Span[],
  ) {
    super();
  }
  override eq(other: OldRows): boolean {
    return isSameOld(other.old, this.old) && other.alignments.join() === this.alignments.join();
  }
  override toDOM(): HTMLElement {
    const rows = document.createElement("div");
    rows.className = "hunk-rows";
    rows.setAttribute("role", "rowgroup");
    rows.setAttribute("aria-label", "Removed");
    let at = 0;
    for (const line of this.old.text.split("\n")) {
      rows.append(this.#row(line, at));
      at += line.length + 1;
    }
    return rows;
  }
  override ignoreEvent(): boolean {
    return true;
  }

  #row(line: string, at: number): HTMLElement {
    const row = document.createElement("div");
    row.className = "hunk-row";
    row.setAttribute("role", "row");
    this.cellsOf(line).forEach(({ from, to }, index) => {
      const cell = row.appendChild(document.createElement("span"));
      cell.className = `cm-cell cm-cell-${this.alignments[index] ?? "start"}`;
      cell.setAttribute("role", "cell");
      this.#fill(cell, at + from, at + to);
    });
    return row;
  }

  #fill(cell: HTMLElement, from: number, to: number): void {
    const { text, removed } = this.old;
    const isGone = removed.some((gone) => gone.from < to && gone.to > from);
    (isGone ? cell.appendChild(document.createElement("del")) : cell).append(text.slice(from, to));
  }
}
