/** A project's chats: the list, the search in them, and the one that is open. */
import { type Chat, type ChatMatch, type ChatsClient, type NewTurn, type OpenSource, type Problem, problemOf, RequestFailed } from "../api";
import { ChatSession } from "./chat.svelte";
import { Composer, type ComposerSource } from "./composer.svelte";
import { Latest } from "./latest";
import { forget, isText, recall, remember } from "./remembered";
import { Soon } from "./soon";
import type { Background } from "./workspace.svelte";

export interface ChatsOptions {
  client: ChatsClient;
  projectId: string;
  background: Background;
  openEvents?: OpenSource | undefined;
  composer: Omit<ComposerSource, "estimate">;
}

/** Where something was said. */
export interface Said {
  chatId: string;
  turnId: string;
}

const RELOAD_MS = 250;

export class Chats {
  list = $state.raw<readonly Chat[] | null>(null);
  hasMore = $state(false);
  problem = $state.raw<Problem | null>(null);
  query = $state("");
  found = $state.raw<readonly ChatMatch[] | null>(null);
  /** The open chat; null is one that has not begun. */
  current = $state.raw<ChatSession | null>(null);
  composer: Composer;
  /** The list that lies over the chat. */
  historyOpen = $state(false);
  readonly #options: ChatsOptions;
  readonly #latest = new Latest(150);
  readonly #soon: Soon;
  #cursor: string | null = null;
  #begun: string | null = null;

  constructor(options: ChatsOptions) {
    this.#options = options;
    this.composer = $state.raw(this.#newComposer(null));
    this.#soon = new Soon(RELOAD_MS, () => { options.background(this.load()); });
  }

  /** Reads the list, and opens the chat that was open last. */
  async start(): Promise<void> {
    const last = recall(this.#key, isText);
    if (last !== null) await this.open(last);
    await this.load();
  }

  async load(): Promise<void> {
    try {
      const page = await this.#options.client.list(this.#options.projectId);
      this.list = page.items;
      this.#takeCursor(page.nextCursor);
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  async loadMore(): Promise<void> {
    if (this.#cursor === null) return;
    const page = await this.#options.client.list(this.#options.projectId, this.#cursor);
    const known = new Set(this.list?.map((chat) => chat.id));
    this.list = [...(this.list ?? []), ...page.items.filter((chat) => !known.has(chat.id))];
    this.#takeCursor(page.nextCursor);
  }

  /** The server says that a chat changed. */
  onChange(id: string, action: "created" | "updated" | "deleted"): void {
    if (action === "deleted" && this.current?.id === id) this.begin();
    this.#soon.ask();
  }

  /** Reads again what may have been missed. */
  reload(): void {
    this.#soon.now();
    if (this.current) this.#options.background(this.current.load());
  }

  /** Shows or hides the list, which is read again each time. */
  toggleHistory(open = !this.historyOpen): void {
    this.historyOpen = open;
    if (open) this.#soon.now();
  }

  async open(id: string): Promise<void> {
    this.historyOpen = false;
    if (this.current?.id === id) return;
    const session = this.session(id);
    this.#show(session);
    await session.load();
    // A chat that is gone must not greet the next visit.
    if (session.problem?.status === 404 && this.current === session) this.begin();
  }

  /** Shows a chat that has not begun. */
  begin(): void {
    this.historyOpen = false;
    this.#show(null);
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
    this.#begun ??= (await this.#options.client.create(this.#options.projectId, { title: "", model: turn.model })).id;
    const session = this.session(this.#begun);
    await session.load();
    const { turnId } = await session.say({ ...turn, model: null });
    this.#begun = null;
    // What was typed meanwhile goes along into the new chat.
    this.#show(session, this.composer.movedTo(session.id));
    this.#soon.ask();
    return { chatId: session.id, turnId };
  }

  async remove(id: string): Promise<void> {
    await this.#options.client.remove(id);
    this.list = this.list?.filter((chat) => chat.id !== id) ?? null;
    if (this.current?.id === id) this.#show(null);
  }

  async branch(session: ChatSession, entryId: string): Promise<void> {
    const chat = await session.branch(entryId);
    this.list = [chat, ...(this.list ?? [])];
    await this.open(chat.id);
  }

  search(query: string): void {
    this.query = query;
    if (query.trim() === "") {
      this.#latest.cancel();
      this.found = null;
      return;
    }
    this.#latest.ask(
      (signal) => this.#options.client.search(this.#options.projectId, query.trim(), signal),
      ({ items }) => { this.found = items; },
      (error) => { this.problem = problemOf(error); },
    );
  }

  async import(text: string): Promise<string> {
    const file = parse(text);
    if (file === undefined) return "This file is not JSON. Export the chats again and choose the .json file.";
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
  composerFor(key: string, chatId: string | null): Composer {
    const { client, composer } = this.#options;
    const estimate: ComposerSource["estimate"] = (id, turn, signal) => client.estimate(id, turn, signal);
    return new Composer(key, chatId, { ...composer, estimate });
  }

  #show(session: ChatSession | null, composer = this.#newComposer(session?.id ?? null)): void {
    this.current?.close();
    this.current = session;
    this.composer = composer;
    if (session) remember(this.#key, session.id);
    else forget(this.#key);
  }

  #newComposer(chatId: string | null): Composer {
    return this.composerFor(chatId ?? `new.${this.#options.projectId}`, chatId);
  }

  #takeCursor(cursor: string | null): void {
    this.#cursor = cursor;
    this.hasMore = cursor !== null;
  }

  get #key(): string {
    return `chat.${this.#options.projectId}`;
  }
}

function count(chats: number): string {
  return chats === 1 ? "1 chat was" : `${String(chats)} chats were`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
