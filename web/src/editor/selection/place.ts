/** Where a small bar beside a selection goes: never over what is selected. */

/** What is selected and what may be covered, in pixels of the editor's own box. */
export interface Bounds {
  /** The first selected line's top, and the last one's bottom. */
  top: number;
  bottom: number;
  /** Where the selection begins in its first line. */
  left: number;
  /** The part of the text that shows. */
  view: { top: number; bottom: number; width: number };
}

export interface Size {
  width: number;
  height: number;
}

export interface BarPlace {
  left: number;
  top: number;
}

const GAP = 6;
const MARGIN = 8;

/** Above the selection where there is room, else below it, else at the foot of the view. */
export function placeBar({ top, bottom, left, view }: Bounds, { width, height }: Size): BarPlace {
  const shifted = Math.max(MARGIN, Math.min(left, view.width - width - MARGIN));
  const above = top - GAP - height;
  if (above >= view.top) return { left: shifted, top: Math.min(above, view.bottom - height - MARGIN) };
  const below = bottom + GAP;
  if (below + height <= view.bottom - MARGIN) return { left: shifted, top: Math.max(below, view.top + MARGIN) };
  return { left: shifted, top: view.bottom - height - MARGIN };
}
