/** The Chats tab: folders and chats as rows, where the keyboard is, what is renamed or dragged, and the search. */
import type { Chat, ChatGroup } from "../../api";
import { type Dragged, dropOn, type Drop, type Row, rowsOf } from "./chat-rows";
import type { ChatSearch } from "./chat-search.svelte";
import { chatTitle } from "../../chat/labels";
import type { Chats } from "./chats.svelte";
import type { Groups } from "./groups.svelte";

/** A folder shows so many chats at first, and so many more each time. */
export const CHATS_SHOWN = 50;

/** A name that is being typed, and what it names as it was when the typing began. */
export type Naming = { kind: "chat"; seen: Chat } | { kind: "group"; seen: ChatGroup } | { kind: "new"; parentId: string | null };

/** What a dialog is about. */
export type Asked = { kind: "chat"; chat: Chat } | { kind: "group"; group: ChatGroup };

export class ChatTree {
  readonly search: ChatSearch;
  /** The chat that is about to be deleted. */
  removing = $state<string | null>(null);
  asked = $state.raw<Asked | null>(null);
  drop = $state.raw<Drop | null>(null);
  /** The row that the keyboard is at. */
  focused = $state<string | null>(null);
  readonly rows: readonly Row[] = $derived.by(() => this.#rows());
  readonly #chats: Chats;
  readonly #groups: Groups;
  #naming = $state.raw<Naming | null>(null);
  #dragged = $state.raw<Dragged | null>(null);
  /** The order of the chats when something began to be named or dragged: it must not run away from under the hand. */
  #held = $state.raw<ReadonlyMap<string, number> | null>(null);
  #most = $state.raw<Readonly<Record<string, number>>>({});

  constructor(chats: Chats, groups: Groups) {
    this.#chats = chats;
    this.#groups = groups;
    this.search = chats.newSearch();
  }

  get naming(): Naming | null {
    return this.#naming;
  }

  set naming(naming: Naming | null) {
    this.#naming = naming;
    this.#hold();
  }

  get dragged(): Dragged | null {
    return this.#dragged;
  }

  /** Which row the keyboard is at; the first where it was at none, or at one that is gone. */
  get focusedIndex(): number {
    return Math.max(0, this.rows.findIndex((row) => row.key === this.focused));
  }

  showMore(groupId: string | null): void {
    const key = groupId ?? "";
    this.#most = { ...this.#most, [key]: this.#mostOf(groupId) + CHATS_SHOWN };
  }

  /** Begins to rename a row; notes have no name. */
  rename(row: Row | undefined): void {
    if (row?.kind === "chat") this.naming = { kind: "chat", seen: row.chat };
    else if (row?.kind === "group") this.naming = { kind: "group", seen: row.group };
  }

  drag(row: Row): void {
    if (row.kind === "chat") this.#dragged = { kind: "chat", id: row.chat.id };
    else if (row.kind === "group") this.#dragged = { kind: "group", id: row.group.id };
    this.#hold();
  }

  /** Shows where what is dragged would lie; tells whether it can. */
  hover(row: Row | null, at: number): boolean {
    const drop = this.dragged && dropOn(this.dragged, row, at, this.rows);
    this.drop = this.dragged && drop && this.#isPossible(this.dragged, drop) ? drop : null;
    return this.drop !== null;
  }

  endDrag(): void {
    this.#dragged = null;
    this.drop = null;
    this.#hold();
  }

  /** Whether a chat lies in this project, and so can lie in its folders. */
  isOwn(chat: Chat): boolean {
    return chat.projectId === this.#chats.projectId;
  }

  #isPossible({ kind, id }: Dragged, { parentId, beforeId }: Drop): boolean {
    if (kind === "group") {
      const group = this.#groups.find(id);
      return group !== null && this.#groups.canLieIn(id, parentId) && (beforeId !== null || group.parentId !== parentId || this.#groups.inside(parentId).at(-1)?.id !== id);
    }
    const chat = this.#chats.all.find(id);
    return chat !== null && this.isOwn(chat) && chat.groupId !== parentId;
  }

  #hold(): void {
    if (!this.#naming && !this.#dragged) this.#held = null;
    else this.#held ??= new Map(this.#chats.list?.map((chat, index) => [chat.id, index]));
  }

  #rows(): Row[] {
    const held = this.#held;
    const chats = this.#chats.list ?? [];
    return rowsOf({
      groups: this.#groups.list,
      chats: held ? chats.toSorted((one, other) => (held.get(one.id) ?? -1) - (held.get(other.id) ?? -1)) : chats,
      isOpen: (id) => this.#groups.isOpen(id),
      most: (groupId) => this.#mostOf(groupId),
    });
  }

  #mostOf(groupId: string | null): number {
    return this.#most[groupId ?? ""] ?? CHATS_SHOWN;
  }
}

/** What a row is called; nothing for a note. */
export function rowName(row: Row): string {
  if (row.kind === "chat") return chatTitle(row.chat);
  return row.kind === "group" ? row.group.name : "";
}
