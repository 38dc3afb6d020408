/** Where the dots of threads go: in the right margin, beside the first line of their passages; side by side on one line. */

export const DOT = 24;
/** From the text to the first dot, where the margin has room. */
const GAP = 28;
/** Where there is no margin, they keep this far from the edge. */
const EDGE = 4;
const AT_MOST = 4;

/** The text's right edge and the view's, in pixels. */
export interface MarginBox {
  text: number;
  edge: number;
}

export interface Dot {
  id: string;
  /** From the edge of the view to the dot's. */
  right: number;
  top: number;
}

/** Several threads for which a line has no room. */
export interface More {
  ids: readonly string[];
  right: number;
  top: number;
}

export interface Rows {
  dots: Dot[];
  more: More[];
}

/** Lays out dots, given the middle of each one's line; they come in the order of the text. */
export function layOut(threads: readonly { id: string; middle: number }[], margin: MarginBox): Rows {
  const rows: Rows = { dots: [], more: [] };
  const free = margin.edge - margin.text;
  const room = free < DOT ? AT_MOST : Math.min(AT_MOST, Math.floor(free / DOT));
  for (const { middle, ids } of linesOf(threads)) {
    const count = Math.min(ids.length, room);
    const shown = ids.length > room ? ids.slice(0, room - 1) : ids;
    const start = free < DOT ? margin.edge - EDGE - count * DOT : margin.text + Math.max(0, Math.min(GAP, free - count * DOT));
    const at = (index: number) => ({ right: margin.edge - start - (index + 1) * DOT, top: middle - DOT / 2 });
    shown.forEach((id, index) => rows.dots.push({ id, ...at(index) }));
    if (shown.length < ids.length) rows.more.push({ ids: ids.slice(shown.length), ...at(shown.length) });
  }
  return rows;
}

/** Passages that begin on one line as it shows. */
function linesOf(threads: readonly { id: string; middle: number }[]): { middle: number; ids: string[] }[] {
  const lines: { middle: number; ids: string[] }[] = [];
  for (const { id, middle } of threads) {
    const line = lines.find((one) => Math.abs(one.middle - middle) < DOT / 2);
    if (line) line.ids.push(id);
    else lines.push({ middle, ids: [id] });
  }
  return lines;
}
