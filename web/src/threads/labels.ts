/** Threads and comments in words: where they are, how they stand, in which order they are listed. */
import type { Thread } from "../api";
import { whenText } from "../core/times";
import { nameOf } from "../core/paths";
import { countOf } from "../core/amounts";

/** What of a thread says where it is. */
export type Placed = Pick<Thread, "path" | "line"> & { isDetached?: boolean };

/** methods.md, line 5 */
export function placeText({ path, line, isDetached = false }: Placed): string {
  if (path === null) return "An answer";
  if (isDetached) return `${nameOf(path)}, no longer in the text`;
  // The lines of a notebook's file are not what people see.
  return line === null || path.toLowerCase().endsWith(".ipynb") ? nameOf(path) : `${nameOf(path)}, line ${String(line)}`;
}

/** An answer in a line or two: what only marks it up is left out. */
export function plainWords(markdown: string): string {
  return markdown.replaceAll(/^#+\s|[*_`~]+/gm, "").replaceAll(/\s*\n\s*/g, " ").trim();
}

/** Whether it is a comment: words without a conversation yet. */
export function isComment({ chatId }: Thread): boolean {
  return chatId === null;
}

/** What is known of it besides its place: how it stands, how much was said, when. */
export function factsOf(thread: Thread, now: Date = new Date()): string[] {
  return [standingOf(thread), isComment(thread) ? "" : countOf(thread.messages, "message"), whenText(thread.updatedAt, now)].filter((fact) => fact !== "");
}

function standingOf(thread: Thread): string {
  if (thread.status === "streaming") return "Answering";
  if (thread.status === "error") return "Failed";
  if (!isComment(thread)) return "";
  if (thread.reply !== null) return "Answered";
  if (thread.sent !== null) return "Sent";
  return thread.author === "ai" ? "Task by the AI" : "Comment";
}

export interface ThreadGroup {
  title: string;
  items: readonly Thread[];
}

/** The threads to work on: of the file at hand first, then of the other files, then of answers. */
export function openGroups(list: readonly Thread[], path: string | null): ThreadGroup[] {
  const open = list.filter(({ status }) => status !== "resolved").sort(inOrder);
  return [
    { title: path === null ? "" : nameOf(path), items: open.filter((thread) => thread.path !== null && thread.path === path) },
    { title: path === null ? "Files" : "Other files", items: open.filter((thread) => thread.path !== null && thread.path !== path) },
    { title: "Answers", items: open.filter((thread) => thread.path === null) },
  ].filter(({ items }) => items.length > 0);
}

/** What is settled, the newest first. */
export function resolvedOf(list: readonly Thread[]): Thread[] {
  return list.filter(({ status }) => status === "resolved").sort((one, other) => other.updatedAt - one.updatedAt);
}

/** By file, then as they stand in the text; those whose passage is gone come last. */
function inOrder(one: Thread, other: Thread): number {
  return (
    (one.path ?? "").localeCompare(other.path ?? "") ||
    Number(one.isDetached) - Number(other.isDetached) ||
    (one.line ?? 0) - (other.line ?? 0) ||
    one.createdAt - other.createdAt
  );
}
