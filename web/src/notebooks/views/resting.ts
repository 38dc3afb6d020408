/** Where a selection in a cell is on the page of the notebook. */
import type { Resting } from "../../editor";
import type { NotebookControl } from "./control.svelte";

/** A selection that rests, in the box of its cell's editor. */
export interface RestingInCell {
  cell: string;
  found: Resting;
}

/** The selection in the box around the cells; null when it is out of sight. */
export function placedIn(scroll: HTMLElement, control: NotebookControl, { cell, found }: RestingInCell): Resting | null {
  const box = control.boxOf(cell);
  const start = control.text.cell(cell)?.start;
  const page = scroll.parentElement?.getBoundingClientRect();
  if (!box || !page || start === undefined) return null;
  const { top, bottom } = scroll.getBoundingClientRect();
  const down = box.top - page.top;
  const view = { top: top - page.top, bottom: bottom - page.top, width: page.width };
  const placed = { ...found, from: start + found.from, to: start + found.to, top: found.top + down, bottom: found.bottom + down, left: found.left + box.left - page.left, view };
  return placed.bottom <= view.top || placed.top >= view.bottom ? null : placed;
}
