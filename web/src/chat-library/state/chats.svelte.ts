/** A project's chats: the list, the search in them, and the one that is open. */
import { type Chat, type ChatsClient, type NewChat, type NewTurn, type OpenSource, type Problem, RequestFailed } from "../../api";
import { ChatList } from "./chat-list.svelte";
import { ChatSearch } from "./chat-search.svelte";
import { ChatSession, type SaidPlace } from "../../chat/state/chat-session.svelte";
import { Composer, type ComposerSource } from "../../chat/state/composer.svelte";
import type { Picked } from "../../picks/state/picked.svelte";
import type { PickedItems, Defaults } from "../../picks/state/pick-values";
import { ReadMarks } from "./read-marks.svelte";
import { isText, recall, remember } from "../../core/browser-storage";
import type { Background } from "../../core/background";

export interface ChatsOptions {
  client: ChatsClient;
  projectId: string;
  background: Background;
  openEvents?: OpenSource | undefined;
  picking: Picking;
  composer: Omit<ComposerSource, "preview">;
}

/** What goes along, as far as chats have a say in it. */
export interface Picking {
  picked: Picked;
  /** What the chat that has not begun begins with. */
  defaults: () => Defaults;
  /** What was picked by hand has given way to what is pinned to a chat. */
  replaced: (before: PickedItems) => void;
}

/** Where something was said. */
export interface Said {
  chatId: string;
  turnId: string;
}

export class Chats {
  readonly all: ChatList;
  /** The search of the list that lies over the chat. */
  readonly search: ChatSearch;
  /** The open chat; null is one that has not begun. */
  current = $state.raw<ChatSession | null>(null);
  composer: Composer;
  /** The folder of the chat that has not begun. */
  groupId = $state<string | null>(null);
  /** The list that lies over the chat. */
  historyOpen = $state(false);
  readonly #options: ChatsOptions;
  readonly #read: ReadMarks;
  #begun: string | null = null;

  constructor(options: ChatsOptions) {
    const { client, projectId, background } = options;
    this.#options = options;
    this.all = new ChatList({ client, projectId, background, onGone: (id) => { this.#onGone(id); }, onRows: () => { this.#markRead(); } });
    this.#read = new ReadMarks(projectId, Date.now());
    this.search = this.newSearch();
    this.composer = $state.raw(this.#newComposer(null));
  }

  get projectId(): string {
    return this.#options.projectId;
  }

  /** The chats, the most recently active first; null until they were read. */
  get list(): readonly Chat[] | null {
    return this.all.rows;
  }

  get hasMore(): boolean {
    return this.all.hasMore;
  }

  get problem(): Problem | null {
    return this.all.problem;
  }

  /** Reads the list, and opens the chat that was open last in this tab; a new tab begins with that of the browser. */
  async start(): Promise<void> {
    const last = recall(this.#key, isText, "tab-first");
    const { picked, defaults } = this.#options.picking;
    // What this tab had picked before a reload stays.
    if (last !== null) await this.#open(last, !picked.wasKept);
    else if (!picked.wasKept) picked.begin(defaults());
    await this.load();
  }

  /** Whether something was said in a chat that nobody has looked at since. */
  isUnread(chat: Chat): boolean {
    return chat.id !== this.current?.id && this.#read.isUnread(chat);
  }

  load(): Promise<void> {
    return this.all.load();
  }

  loadMore(): Promise<void> {
    return this.all.loadMore();
  }

  newSearch(): ChatSearch {
    const { client, projectId } = this.#options;
    return new ChatSearch((query, signal) => client.search(projectId, query, signal));
  }

  /** The server says that a chat changed, or that something was said or runs in it. */
  onChange(id: string, isOnlyActive = false): void {
    this.all.onChange(id, isOnlyActive);
  }

  /** Reads again what may have been missed. */
  reload(): void {
    this.#options.background(this.load());
    if (this.current) this.#options.background(this.current.load());
  }

  /** Shows or hides the list over the chat. */
  toggleHistory(open = !this.historyOpen): void {
    this.historyOpen = open;
  }

  /** Shows a chat: its end, or a place in it. */
  async open(id: string, place: SaidPlace | null = null): Promise<void> {
    this.historyOpen = false;
    if (this.current?.id !== id) await this.#open(id, true);
    if (place && this.current?.id === id) await this.current.goTo(place);
  }

  async #open(id: string, restores: boolean): Promise<void> {
    const session = this.session(id);
    this.groupId = null;
    this.#show(session);
    await session.load();
    // A chat that is gone must not greet the next visit.
    if (session.problem?.status === 404 && this.current === session) this.begin();
    else if (restores && session.seen && this.current === session) this.#restore(session.seen);
    // Each chat counts as its own model does.
    if (this.current === session) this.#options.picking.picked.recount();
  }

  /** Shows a chat that has not begun, and will lie in a folder. */
  begin(groupId: string | null = null): void {
    this.historyOpen = false;
    if (groupId !== this.groupId) this.#begun = null;
    this.groupId = groupId;
    this.#show(null);
    const { picked, defaults } = this.#options.picking;
    picked.begin(defaults());
  }

  /** Sends the draft. */
  async send(): Promise<void> {
    const { composer } = this;
    await composer.send((turn) => this.say(turn));
  }

  /** Says something in the open chat, or begins one with it. */
  async say(turn: NewTurn): Promise<Said> {
    const { current } = this;
    if (current) return { chatId: current.id, turnId: (await current.say(turn)).turnId };
    // A chat that was made and could not be spoken to serves for the next attempt.
    this.#begun ??= (await this.#options.client.create(this.#options.projectId, { title: "", model: turn.model, groupId: this.groupId, ...this.#pinnedFirst() })).id;
    const session = this.session(this.#begun);
    await session.load();
    const { turnId } = await session.say({ ...turn, model: null });
    this.#begun = null;
    // What was typed meanwhile goes along into the new chat.
    this.#show(session, this.composer.movedTo(session.id));
    return { chatId: session.id, turnId };
  }

  remove(chat: Pick<Chat, "id" | "projectId">): Promise<void> {
    return this.all.remove(chat);
  }

  async branch(session: ChatSession, entryId: string): Promise<void> {
    const chat = await session.branch(entryId);
    this.all.put(chat);
    await this.open(chat.id);
  }

  async import(file: Blob): Promise<string> {
    try {
      const { imported, known, skipped } = await this.#options.client.import(this.#options.projectId, file);
      await this.load();
      return [`${count(imported)} imported.`, known > 0 ? `${count(known)} here already.` : "", ...skipped].filter(Boolean).join(" ");
    } catch (error) {
      if (error instanceof RequestFailed) return `${error.problem.detail} ${error.problem.remedy ?? ""}`.trim();
      throw error;
    }
  }

  close(): void {
    this.current?.close();
  }

  /** A chat to listen to, shown or not. */
  session(id: string): ChatSession {
    const { client, background, openEvents } = this.#options;
    return new ChatSession(id, { client, background, openEvents });
  }

  /** A field for messages to a chat, or to one that has not begun; its draft is kept by the key. */
  composerFor(key: string, chatId: string | null, isChat = false): Composer {
    const { client, composer, projectId } = this.#options;
    const preview: ComposerSource["preview"] = (asked, signal) => client.preview(projectId, asked, signal);
    return new Composer(key, chatId, { ...composer, preview: chatId === null && !isChat ? null : preview });
  }

  /** A chat keeps those of its defaults that are still on when it begins. */
  #pinnedFirst(): Pick<NewChat, "contextIds" | "skillIds"> {
    const { picked, defaults } = this.#options.picking;
    const { contextIds, skillIds } = defaults();
    return { contextIds: picked.contextIds.filter((id) => contextIds.includes(id)), skillIds: picked.skillIds.filter((id) => skillIds.includes(id)) };
  }

  #restore(chat: Chat): void {
    const { picked, replaced } = this.#options.picking;
    const before = picked.restore(chat);
    if (before) replaced(before);
  }

  #show(session: ChatSession | null, composer = this.#newComposer(session?.id ?? null)): void {
    this.#markRead();
    this.current?.close();
    this.current = session;
    this.#markRead();
    this.composer = composer;
    remember(this.#key, session?.id ?? null, "tab-first");
  }

  /** The chat that shows is read as it is now. */
  #markRead(): void {
    const row = this.current && this.all.find(this.current.id);
    if (row && document.visibilityState === "visible") this.#read.mark(row);
  }

  #newComposer(chatId: string | null): Composer {
    return this.composerFor(chatId ?? `new.${this.#options.projectId}`, chatId, true);
  }

  /** A chat that was deleted, or moved away, gives way to a new one. */
  #onGone(id: string): void {
    if (this.current?.id !== id) return;
    const { historyOpen } = this;
    this.begin();
    // Whoever deleted it in the list goes on there.
    this.historyOpen = historyOpen;
  }

  get #key(): string {
    return `chat.${this.#options.projectId}`;
  }
}

function count(chats: number): string {
  return chats === 1 ? "1 chat was" : `${String(chats)} chats were`;
}
