/** The cells of a notebook in its one shared text; the server reads it by the same rules (`notebooks/live/cells_text.py`). */
export const MARK = "\x1f";
export type CellKind = "code" | "markdown" | "raw";

const HEAD = /^(code|markdown|raw)[a-z]* ([a-zA-Z0-9_-]{1,64})$/;
const PLACE = /^here ([a-zA-Z0-9_-]{1,64})$/;
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
  /** The mark at which it is seen, if it was moved: its own text stays where it is, so that nobody who types in it loses it. */
  readonly place: { readonly from: number; readonly to: number } | null;
}

/** Where in the text people see a cell. */
export function seenAt({ place, head }: Cell): number {
  return place?.from ?? head;
}

export function placeMark(id: string): string {
  return `${MARK}here ${id}\n`;
}

export function joinedCell(kind: CellKind, id: string, source: string): string {
  return `${MARK}${kind} ${id}\n${source}\n`;
}

/** The cells of a text, in the order that people see. */
export function splitCells(text: string): Cell[] {
  const [lead = "", ...parts] = text.split(MARK);
  const used = new Set<string>();
  const cells = new Map<string, Cell>();
  const places = new Map<string, { from: number; to: number }>();
  const add = (cell: Cell) => { cells.set(cell.id, cell); };
  if (lead.replace(/\n/g, "") !== "") add({ id: unused(FOUND, used), kind: "code", source: withoutEnd(lead), head: 0, start: 0, end: lead.length, place: null });
  let at = lead.length;
  for (const part of parts) {
    const line = part.indexOf("\n");
    const id = PLACE.exec(line < 0 ? part : part.slice(0, line))?.[1];
    if (id === undefined) add(cellOf(part, at, used));
    else {
      const to = at + 1 + (line < 0 ? part.length : line + 1);
      // Moved by two at once, a cell has two places: the first counts.
      if (!places.has(id)) places.set(id, { from: at, to });
      const rest = line < 0 ? "" : part.slice(line + 1);
      // Words of a cell whose head went.
      if (rest.replace(/\n/g, "") !== "") add({ id: unused(FOUND, used), kind: "code", source: withoutEnd(rest), head: to, start: to, end: at + 1 + part.length, place: null });
    }
    at += 1 + part.length;
  }
  const found = [...cells.values()];
  if (places.size === 0) return found;
  return found.map((cell) => ({ ...cell, place: places.get(cell.id) ?? null })).sort((one, other) => seenAt(one) - seenAt(other));
}

function cellOf(part: string, head: number, used: Set<string>): Cell {
  const end = head + 1 + part.length;
  const line = part.indexOf("\n");
  const title = line < 0 ? part : part.slice(0, line);
  const found = HEAD.exec(title);
  if (!found) return { id: unused(FOUND, used), kind: "code", source: withoutEnd(part), head, start: head + 1, end, place: null };
  const body = line < 0 ? "" : part.slice(line + 1);
  const start = head + 1 + title.length + (line < 0 ? 0 : 1);
  return { id: unused(found[2] ?? FOUND, used), kind: found[1] as CellKind, source: withoutEnd(body), head, start, end, place: null };
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
