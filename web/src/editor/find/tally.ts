/** How many places a search finds, and which of them is chosen. */
import type { SearchQuery } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";

export interface Tally {
  /** The chosen place, from 1; 0 when the selection is none of them. */
  at: number;
  count: number;
  /** There are more than were counted. */
  more: boolean;
}

/** Counting on costs time and tells nobody anything. */
export const MOST = 1000;

export interface Found {
  from: number;
  to: number;
}

export function placesOf(query: SearchQuery, state: EditorState): Found[] {
  const found: Found[] = [];
  if (!query.valid) return found;
  const cursor = query.getCursor(state);
  for (let next = cursor.next(); !next.done && found.length <= MOST; next = cursor.next()) found.push(next.value);
  return found;
}

export function tallyOf(places: readonly Found[], { from, to }: Found): Tally {
  const counted = places.slice(0, MOST);
  return { at: counted.findIndex((place) => place.from === from && place.to === to) + 1, count: counted.length, more: places.length > MOST };
}

/** The tally in a few words. */
export function tallyText(query: SearchQuery, tally: Tally): string {
  if (query.search === "") return "";
  if (!query.valid) return "Not a regular expression";
  if (tally.count === 0) return "Nothing found";
  const count = `${tally.count.toLocaleString("en")}${tally.more ? "+" : ""}`;
  return tally.at > 0 ? `${tally.at.toLocaleString("en")} of ${count}` : count;
}
