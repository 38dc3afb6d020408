/** The cells of a notebook in its one shared text; the server reads it by the same rules (`notebooks/live/cells_text.py`). */
export const MARK = "\x1f";
export type CellKind = "code" | "markdown" | "raw";

const HEAD = /^(code|markdown|raw)[a-z]* ([a-zA-Z0-9_-]{1,64})$/;
const FOUND = "found";
const ROOM_FOR_NUMBER = 58;

export interface Cell {
  readonly id: string;
  readonly kind: CellKind;
  readonly source: string;
  /** Where its head begins, where its source does, and where the next cell would. */
  readonly head: number;
  readonly start: number;
  readonly end: number;
}

export function joinedCell(kind: CellKind, id: string, source: string): string {
  return `${MARK}${kind} ${id}\n${source}\n`;
}

export function splitCells(text: string): Cell[] {
  const [lead = "", ...parts] = text.split(MARK);
  const used = new Set<string>();
  const cells: Cell[] = [];
  if (lead.replace(/\n/g, "") !== "") cells.push({ id: unused(FOUND, used), kind: "code", source: withoutEnd(lead), head: 0, start: 0, end: lead.length });
  let at = lead.length;
  for (const part of parts) {
    cells.push(cellOf(part, at, used));
    at += 1 + part.length;
  }
  return cells;
}

function cellOf(part: string, head: number, used: Set<string>): Cell {
  const end = head + 1 + part.length;
  const line = part.indexOf("\n");
  const title = line < 0 ? part : part.slice(0, line);
  const found = HEAD.exec(title);
  if (!found) return { id: unused(FOUND, used), kind: "code", source: withoutEnd(part), head, start: head + 1, end };
  const body = line < 0 ? "" : part.slice(line + 1);
  const start = head + 1 + title.length + (line < 0 ? 0 : 1);
  return { id: unused(found[2] ?? FOUND, used), kind: found[1] as CellKind, source: withoutEnd(body), head, start, end };
}

function withoutEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

function unused(name: string, used: Set<string>): string {
  let found = name;
  for (let number = 2; used.has(found); number += 1) found = `${name.slice(0, ROOM_FOR_NUMBER)}-${String(number)}`;
  used.add(found);
  return found;
}
