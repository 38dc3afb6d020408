/** The Chats tab as rows: folders with what lies in them, then the chats that lie in none. */
import type { Chat, ChatGroup } from "../../api";

export interface GroupRow {
  kind: "group";
  key: string;
  depth: number;
  group: ChatGroup;
  isOpen: boolean;
  /** How many chats lie in it and in its folders. */
  count: number;
  /** Something runs in a chat below. */
  isRunning: boolean;
  place: number;
  siblings: number;
}

export interface ChatRow {
  kind: "chat";
  key: string;
  depth: number;
  chat: Chat;
  /** The folder in which it shows. */
  groupId: string | null;
  place: number;
  siblings: number;
}

/** A line in place of rows: more of them, or that there are none. */
export interface NoteRow {
  kind: "more" | "empty";
  key: string;
  depth: number;
  groupId: string | null;
  /** How many are not shown. */
  hidden: number;
}

export type Row = GroupRow | ChatRow | NoteRow;

export interface RowSource {
  groups: readonly ChatGroup[];
  chats: readonly Chat[];
  isOpen: (groupId: string) => boolean;
  /** How many chats of a folder show. */
  most: (groupId: string | null) => number;
}

/** Everything that shows, in its order. */
export function rowsOf(source: RowSource): Row[] {
  return inside(null, 0, { ...source, ...byFolder(source) });
}

interface Sorted extends RowSource {
  folders: ReadonlyMap<string | null, readonly ChatGroup[]>;
  files: ReadonlyMap<string | null, readonly Chat[]>;
}

/** What lies in a folder that is not there, lies in none. */
function byFolder({ groups, chats }: RowSource): Pick<Sorted, "folders" | "files"> {
  const known = new Set(groups.map(({ id }) => id));
  const home = (id: string | null) => (id !== null && known.has(id) ? id : null);
  return { folders: Map.groupBy(groups, (group) => home(group.parentId)), files: Map.groupBy(chats, (chat) => home(chat.groupId)) };
}

function inside(groupId: string | null, depth: number, source: Sorted): Row[] {
  const folders = source.folders.get(groupId) ?? [];
  const chats = source.files.get(groupId) ?? [];
  const shown = chats.slice(0, source.most(groupId));
  const siblings = folders.length + chats.length;
  const rows: Row[] = folders.flatMap((group, index) => {
    const isOpen = source.isOpen(group.id);
    const row: GroupRow = { kind: "group", key: `group:${group.id}`, depth, group, isOpen, ...totals(group.id, source), place: index + 1, siblings };
    return isOpen ? [row, ...inside(group.id, depth + 1, source)] : [row];
  });
  for (const [index, chat] of shown.entries()) rows.push({ kind: "chat", key: `chat:${chat.id}`, depth, chat, groupId, place: folders.length + index + 1, siblings });
  if (groupId !== null && siblings === 0) rows.push({ kind: "empty", key: `empty:${groupId}`, depth, groupId, hidden: 0 });
  if (chats.length > shown.length) rows.push({ kind: "more", key: `more:${groupId ?? ""}`, depth, groupId, hidden: chats.length - shown.length });
  return rows;
}

function totals(groupId: string, source: Sorted): Pick<GroupRow, "count" | "isRunning"> {
  const chats = source.files.get(groupId) ?? [];
  return (source.folders.get(groupId) ?? [])
    .map((group) => totals(group.id, source))
    .reduce(
      (all, one) => ({ count: all.count + one.count, isRunning: all.isRunning || one.isRunning }),
      { count: chats.length, isRunning: chats.some((chat) => chat.isRunning) },
    );
}

/** What is dragged. */
export interface Dragged {
  kind: "chat" | "group";
  id: string;
}

/** Where it would lie if it were let go now. */
export interface Drop {
  parentId: string | null;
  /** For a folder: before which of those there; null is the end. */
  beforeId: string | null;
  /** The row that shows it, and at which edge; null is the whole list. */
  mark: { key: string; edge: "before" | "after" | "into" } | null;
}

/** What letting go over a row means; `at` tells how far down in the row, from 0 to 1. Null where it means nothing. */
export function dropOn(dragged: Dragged, row: Row | null, at: number, rows: readonly Row[]): Drop | null {
  if (row === null) return { parentId: null, beforeId: null, mark: null };
  if (row.kind !== "group") {
    const parent = row.groupId;
    return { parentId: parent, beforeId: null, mark: parent === null ? null : { key: `group:${parent}`, edge: "into" } };
  }
  const { key, group } = row;
  if (group.id === dragged.id) return null;
  if (dragged.kind === "group" && at < 0.25) return { parentId: group.parentId, beforeId: group.id, mark: { key, edge: "before" } };
  // Below an open folder comes what lies in it.
  if (dragged.kind === "group" && at > 0.75 && !row.isOpen) return { parentId: group.parentId, beforeId: nextSibling(row, dragged, rows), mark: { key, edge: "after" } };
  return { parentId: group.id, beforeId: null, mark: { key, edge: "into" } };
}

function nextSibling(row: GroupRow, dragged: Dragged, rows: readonly Row[]): string | null {
  const after = rows.slice(rows.indexOf(row) + 1);
  const next = after.find((one) => one.kind === "group" && one.depth === row.depth && one.group.parentId === row.group.parentId && one.group.id !== dragged.id);
  return next?.kind === "group" ? next.group.id : null;
}
