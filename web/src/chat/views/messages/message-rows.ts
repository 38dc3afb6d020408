/** Which messages stand in the page, and the empty room that keeps the place of the others. */
import type { Item } from "../../state/chat-items";
import type { Heights } from "./heights";

/** From one message to another; with null, up to the end, whatever comes. */
export interface Span {
  from: string | null;
  to: string | null;
}

export type Row = { kind: "message"; key: string; item: Item } | { kind: "room"; key: string; height: number };

/** So much beyond the window is in the page, too: the next thing that somebody scrolls to is there. */
export const BEYOND = 900;
/** With less than this beyond the window, the span moves on. */
const LEAST = 350;
/** So many messages come into the page in one go. */
const STEP = 8;

/** One row for each message, so that what has not changed is known to be the same. */
const ROWS = new WeakMap<Item, Row>();

/** From one place up to before another. */
export interface Places {
  from: number;
  to: number;
}

export function placesOf(span: Span, heights: Heights): Places {
  const from = span.from === null ? 0 : Math.max(0, heights.placeOf(span.from));
  const to = span.to === null ? -1 : heights.placeOf(span.to);
  return { from, to: to < 0 ? heights.count : Math.max(from, to + 1) };
}

/** The messages in sight between two heights, and some beyond them. */
export function inSight(heights: Heights, top: number, bottom: number, beyond = BEYOND): Places {
  if (heights.count === 0) return { from: 0, to: 0 };
  return { from: heights.at(top - beyond), to: heights.at(bottom + beyond) + 1 };
}

/** The next step from what is in the page to what shall be; null when it is near enough. */
export function nextPlaces(now: Places, heights: Heights, top: number, bottom: number): Places | null {
  const wanted = inSight(heights, top, bottom);
  const needed = inSight(heights, top, bottom, LEAST);
  const roomy = inSight(heights, top, bottom, BEYOND * 3);
  if (now.from <= needed.from && now.to >= needed.to && now.from >= roomy.from && now.to <= roomy.to) return null;
  const seen = inSight(heights, top, bottom, 0);
  // What was in the page and shall stay, with what is in sight at once; the rest comes in steps.
  const kept = { from: Math.max(now.from, wanted.from), to: Math.min(now.to, wanted.to) };
  const base = kept.from < kept.to ? { from: Math.min(kept.from, seen.from), to: Math.max(kept.to, seen.to) } : seen;
  const next = { from: Math.max(wanted.from, base.from - STEP), to: Math.min(wanted.to, base.to + STEP) };
  return next.from === now.from && next.to === now.to ? null : next;
}

/** Messages and the room between them, in their order. Those that are held stay, wherever they are. */
export function rowsOf(items: readonly Item[], heights: Heights, { from, to }: Places, held: ReadonlySet<string>, now: Item | null): Row[] {
  const rows: Row[] = [];
  let end = 0;
  const show = (place: number) => {
    const item = items[place];
    if (!item || place < end) return;
    if (place > end) rows.push({ kind: "room", key: `room:${String(rows.length)}`, height: heights.between(end, place) });
    rows.push(rowOf(item));
    end = place + 1;
  };
  const apart = [...held].map((key) => heights.placeOf(key)).filter((place) => place >= 0).sort((one, other) => one - other);
  for (const place of apart) if (place < from) show(place);
  for (let place = from; place < to; place += 1) show(place);
  for (const place of apart) if (place >= to) show(place);
  if (end < items.length) rows.push({ kind: "room", key: "room:end", height: heights.between(end, items.length) });
  else if (now) rows.push(rowOf(now));
  return rows;
}

function rowOf(item: Item): Row {
  const row = ROWS.get(item) ?? { kind: "message", key: item.key, item };
  ROWS.set(item, row);
  return row;
}
