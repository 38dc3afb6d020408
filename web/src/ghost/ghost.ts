/**
 * The suggestion at the cursor, whichever editor shows it: nothing, asked for, or shown. An answer holds only while
 * what was written since is the beginning of it. Where it stands in the text, the editor says.
 */

export interface Suggestion {
  /** One id for all suggestions of one answer. */
  id: string;
  index: number;
  text: string;
  /** How sure the model is, in words; empty when nobody knows. */
  confidence: string;
}

export interface Ghost {
  readonly phase: "loading" | "active";
  /** Tells one asking from the next. */
  readonly request: number;
  /** Where the cursor is, and what is suggested would go. */
  readonly at: number;
  /** The person asked for it, rather than paused. */
  readonly asked: boolean;
  /** It takes long enough for the person to be told. */
  readonly isLate: boolean;
  /** What was written here since it was asked for; every suggestion begins with it. */
  readonly taken: string;
  /** How much of that was accepted, not typed. */
  readonly accepted: number;
  readonly items: readonly Suggestion[];
  readonly index: number;
}

/** `late`: nothing has arrived yet. `reveal`: what has arrived shows. `finish`: nothing more arrives. */
export type GhostNews =
  | { is: "arrive"; request: number; suggestion: Suggestion }
  | { is: "late" | "reveal" | "finish"; request: number }
  | { is: "choose"; index: number };

/** One that was asked for at a place. */
export function begun(request: number, asked: boolean, at: number): Ghost {
  return { phase: "loading", request, at, asked, isLate: false, taken: "", accepted: 0, items: [], index: 0 };
}

/** What is left of a suggestion to be taken. */
export function restOf({ items, index, taken }: Ghost): string {
  return items[index]?.text.slice(taken.length) ?? "";
}

/** A part of it was accepted, and the cursor is behind that. */
export function taken(ghost: Ghost, text: string, at: number): Ghost {
  return grown({ ...ghost, accepted: ghost.accepted + text.length }, text, at);
}

/** What was written here is the beginning of the suggestions that are left. */
export function grown(ghost: Ghost, text: string, at: number): Ghost {
  const written = ghost.taken + text;
  const current = ghost.items[ghost.index];
  const items = ghost.items.filter((item) => goesOn(item, written));
  return { ...ghost, at, taken: written, items, index: Math.max(0, items.findIndex((item) => item === current)) };
}

/** What becomes of it by what is told; news of an asking before are none. */
export function told(ghost: Ghost, news: GhostNews): Ghost | null {
  if (news.is === "choose") return { ...ghost, index: news.index };
  if (news.request !== ghost.request) return ghost;
  if (news.is === "arrive") return arrived(ghost, news.suggestion);
  if (news.is === "late") return { ...ghost, isLate: true };
  if (ghost.items.length === 0) return news.is === "finish" ? null : ghost;
  return news.is === "reveal" ? { ...ghost, phase: "active" } : ghost;
}

/**
 * A suggestion that does not go on from what was written meanwhile is left out, as is one that says the same again. One
 * that is here already is known better now.
 */
function arrived(ghost: Ghost, suggestion: Suggestion): Ghost {
  if (ghost.items.some(({ index }) => index === suggestion.index)) {
    return { ...ghost, items: ghost.items.map((item) => (item.index === suggestion.index ? { ...item, confidence: suggestion.confidence } : item)) };
  }
  if (!goesOn(suggestion, ghost.taken) || ghost.items.some(({ text }) => text === suggestion.text)) return ghost;
  return { ...ghost, items: [...ghost.items, suggestion] };
}

function goesOn({ text }: Suggestion, written: string): boolean {
  return text.startsWith(written) && text.slice(written.length).trim() !== "";
}
