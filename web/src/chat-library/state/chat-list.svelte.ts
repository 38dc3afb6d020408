/** Every chat that a project shows, kept in step with the server: what changes is read at once, and what changes meanwhile together after. */
import { type Chat, type ChatUpdate, type ChatsClient, type Problem, problemOf } from "../../api";
import { overtakenWords } from "../../chat/labels";
import { Overtaken, saveSeen } from "../../core/concurrent-save";
import type { Background } from "../../core/background";

export interface ChatListSource {
  client: ChatsClient;
  projectId: string;
  background: Background;
  /** A chat is no longer among those that the project shows. */
  onGone: (id: string) => void;
  /** Some rows are newer than before. */
  onRows: () => void;
}

const PAGE = 500;
/** So many are read by themselves; older ones when somebody asks. */
const MOST = 2000;
/** So many can be asked for by their ids at once. */
const SOME = 100;

export class ChatList {
  /** The most recently active first; null until read. */
  rows = $state.raw<readonly Chat[] | null>(null);
  hasMore = $state(false);
  problem = $state.raw<Problem | null>(null);
  readonly #byId = $derived(new Map(this.rows?.map((chat) => [chat.id, chat])));
  readonly #source: ChatListSource;
  #cursor: string | null = null;
  /** What must be read again: everything, or some. */
  #isWhole = false;
  readonly #some = new Set<string>();
  #reading: Promise<void> | null = null;

  constructor(source: ChatListSource) {
    this.#source = source;
  }

  find(id: string): Chat | null {
    return this.#byId.get(id) ?? null;
  }

  /** Reads everything again. */
  load(): Promise<void> {
    this.#isWhole = true;
    return this.#read();
  }

  async loadMore(): Promise<void> {
    if (this.#cursor !== null) await this.#readPages(this.#cursor, this.rows ?? [], MOST + (this.rows?.length ?? 0));
  }

  /** A chat has changed. One that only became active is of interest where it shows. */
  onChange(id: string, isOnlyActive: boolean): void {
    if (isOnlyActive && this.rows !== null && !this.find(id)) return;
    this.#source.background(this.refresh([id]));
  }

  /** Reads some chats again. */
  refresh(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return Promise.resolve();
    for (const id of ids) this.#some.add(id);
    return this.#read();
  }

  /** Takes a chat as the server answered it. */
  put(chat: Chat): void {
    this.rows = merged(this.rows ?? [], [chat]);
  }

  /** Changes a chat as it was seen. Raises Overtaken where another tab changed the same of it meanwhile. */
  async change(seen: Chat, change: Partial<ChatUpdate>): Promise<Chat> {
    const { client } = this.#source;
    try {
      const saved = await saveSeen<Chat, Partial<ChatUpdate>>(seen, change, {
        save: (onto, what) => client.save(onto, what),
        read: async () => (await client.view(seen.id)).chat,
        words: overtakenWords,
      });
      this.#take(saved);
      return saved;
    } catch (error) {
      if (error instanceof Overtaken) this.#take(error.now as Chat);
      else this.onChange(seen.id, false);
      throw error;
    }
  }

  async remove(chat: Pick<Chat, "id" | "projectId">): Promise<void> {
    await this.#source.client.remove(chat);
    this.#drop([chat.id]);
  }

  /** One read at a time, so that a late answer never covers a newer one. */
  #read(): Promise<void> {
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isWhole || this.#some.size > 0) await this.#readOnce();
      this.#source.onRows();
      this.problem = null;
    } catch (error) {
      this.#some.clear();
      this.#isWhole = false;
      this.problem = problemOf(error);
    }
    // At once: what changes now begins a read of its own.
    this.#reading = null;
  }

  async #readOnce(): Promise<void> {
    if (this.#isWhole) {
      this.#isWhole = false;
      // What changes during the read is read after it.
      this.#some.clear();
      await this.#readPages(undefined, [], MOST);
      return;
    }
    const ids = [...this.#some].slice(0, SOME);
    for (const id of ids) this.#some.delete(id);
    const found = await this.#source.client.some(this.#source.projectId, ids);
    this.rows = merged(this.rows ?? [], found);
    const here = new Set(found.map(({ id }) => id));
    this.#drop(ids.filter((id) => !here.has(id)));
  }

  async #readPages(from: string | undefined, before: readonly Chat[], most: number): Promise<void> {
    const found: Chat[] = [];
    let cursor: string | null | undefined = from;
    do {
      const page = await this.#source.client.list(this.#source.projectId, cursor ?? undefined, PAGE);
      found.push(...page.items);
      cursor = page.nextCursor;
      // The first chats show while older ones are still read.
      if (this.rows === null) this.rows = page.items;
    } while (cursor !== null && before.length + found.length < most);
    this.rows = merged(before, found.map((chat) => this.#newest(chat)));
    this.#cursor = cursor;
    this.hasMore = cursor !== null;
  }

  /** A page that was read before a save came back knows less than the save. */
  #newest(chat: Chat): Chat {
    const known = this.find(chat.id);
    return known && known.version > chat.version ? known : chat;
  }

  #take(chat: Chat): void {
    if (chat.projectId === this.#source.projectId || chat.isGlobal) this.put(chat);
    else this.#drop([chat.id]);
  }

  #drop(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.rows = this.rows?.filter((chat) => !ids.includes(chat.id)) ?? null;
    for (const id of ids) this.#source.onGone(id);
  }
}

/** The rows with some of them newer, in their order. */
function merged(rows: readonly Chat[], newer: readonly Chat[]): readonly Chat[] {
  if (newer.length === 0) return rows;
  const all = new Map(rows.map((chat) => [chat.id, chat]));
  for (const chat of newer) if ((all.get(chat.id)?.version ?? 0) <= chat.version) all.set(chat.id, chat);
  return [...all.values()].sort((one, other) => other.lastActiveAt - one.lastActiveAt || (one.id < other.id ? 1 : -1));
}
