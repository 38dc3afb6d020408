/** The threads of a text as it shows them: which, how they look, what their dots are called. */
import type { Thread, ThreadPlace } from "../../api";
import type { Threads } from "./threads.svelte";
import { isComment } from "../labels";

/** One thread as the editor wants it told. */
export interface ThreadMark {
  id: string;
  place: ThreadPlace;
  status: string;
  isOpen: boolean;
  /** What its dot is called; null: it has none. */
  name: string | null;
}

/** How much of a passage, or of a comment, a name holds. */
const WORDS_MAX = 60;

/** What the text of a file shows: its threads, and with the panel beside it also the passage at which one is about to begin. */
export function marksIn(threads: Threads, path: string, hasPanel: boolean): ThreadMark[] {
  const draft = hasPanel ? threads.draft : null;
  const open = hasPanel ? threads.open : null;
  const shown = threads.placedIn(path).filter(({ id, status }) => status !== "resolved" || id === open);
  const marks = shown.flatMap((thread) => (thread.place ? [markOf(thread, thread.place, thread.id === open)] : []));
  return draft?.place && draft.path === path ? [...marks, { id: "", place: draft.place, status: "idle", isOpen: true, name: null }] : marks;
}

function markOf(thread: Thread, place: ThreadPlace, isOpen: boolean): ThreadMark {
  const { id, status } = thread;
  return { id, place, status, isOpen, name: status === "resolved" ? null : dotName(thread) };
}

/** Thread on “the tide”, answering. Comment on “the tide”: Is that so? */
export function dotName(thread: Thread): string {
  const { text, status, body, author } = thread;
  const kind = !isComment(thread) ? "Thread" : author === "ai" ? "Task" : "Comment";
  const words = isComment(thread) && body !== "" ? `: ${short(body)}` : "";
  const standing = status === "streaming" ? ", answering" : status === "error" ? ", failed" : "";
  return `${kind} on “${short(text)}”${standing}${words}`;
}

function short(text: string): string {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length <= WORDS_MAX ? words : `${words.slice(0, WORDS_MAX).trimEnd()}…`;
}
