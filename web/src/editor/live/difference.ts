/** Where two versions of a text differ. */
import { Text } from "@codemirror/state";

interface Change {
  from: number;
  to: number;
  insert: Text;
}

/** Whether a document has these very words. Nothing is built to find out: large texts are asked often. */
export function reads(doc: Text, words: string): boolean {
  if (doc.length !== words.length) return false;
  let at = 0;
  for (const piece of doc) {
    if (!words.startsWith(piece, at)) return false;
    at += piece.length;
  }
  return true;
}

/** The one span in which a document and a new text differ, or null. */
export function difference(doc: Text, text: string): Change | null {
  if (reads(doc, text)) return null;
  const next = Text.of(text.split(/\r\n?|\n/));
  if (doc.eq(next)) return null;
  const old = doc.toString();
  const fresh = next.toString();
  const shorter = Math.min(old.length, fresh.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === fresh.charCodeAt(from)) from += 1;
  let end = 0;
  while (end < shorter - from && old.charCodeAt(old.length - 1 - end) === fresh.charCodeAt(fresh.length - 1 - end)) end += 1;
  return { from, to: old.length - end, insert: next.slice(from, fresh.length - end) };
}
