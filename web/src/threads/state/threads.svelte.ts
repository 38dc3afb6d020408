/** A project's threads and comments: the list, the one that is open with its conversation, and the one being begun. */
import { type Beginning, type NewPassage, type NewTurn, type Problem, problemOf, RequestFailed, type Thread, type ThreadChange, type ThreadMessage, type ThreadPlace, type ThreadsClient, type ThreadTurn } from "../../api";
import type { ChatSession } from "../../chat/state/chat-session.svelte";
import type { Composer } from "../../chat/state/composer.svelte";
import { Throttle } from "../../core/throttle";
import type { Background } from "../../core/background";

/** Changes that come close together are read once. */
export const RELOAD_MS = 150;
const OUTDATED = 412;

export interface ThreadsSource {
  client: ThreadsClient;
  projectId: string;
  background: Background;
  /** A chat to listen to. */
  session: (chatId: string) => ChatSession;
  /** A field for messages; drafts are kept by its key. */
  composer: (key: string, chatId: string | null) => Composer;
  /** Waits until the server has what was typed in a file: places are told in the text that it has. */
  stored: (path: string) => Promise<void>;
  /** Shows where a thread is. */
  goTo: (thread: Thread) => void;
}

/** A passage about to get a thread or a comment. Nothing of it is stored before its first words are. */
export interface ThreadDraft {
  kind: "thread" | "comment";
  /** The passage's words. */
  text: string;
  path: string | null;
  line: number | null;
  /** For its mark in the text; null for a passage of an answer. */
  place: ThreadPlace | null;
  /** Where it is now; null once it is gone. */
  where(): NewPassage | null;
}

/** What an open text shows of its threads. */
export interface SeenThreads {
  /** On which line each of them is, from 1; null where the passage is gone. */
  lines: ReadonlyMap<string, number | null>;
  /** The history of the text. */
  epoch: string;
  /** The text has changed since this was told last. */
  isEdited: boolean;
  /** Whether some words stand in the text. */
  holds: (words: string) => boolean;
}

export class Threads {
  /** The open thread's id. */
  open = $state<string | null>(null);
  draft = $state.raw<ThreadDraft | null>(null);
  /** The conversation of the open thread; null while it has none. */
  session = $state.raw<ChatSession | null>(null);
  composer: Composer;
  problem = $state.raw<Problem | null>(null);
  isLoaded = $state(false);
  #stored = $state.raw<readonly Thread[]>([]);
  #seen = $state.raw<Readonly<Record<string, SeenThreads["lines"]>>>({});
  readonly list: readonly Thread[] = $derived(this.#stored.map((thread) => this.#asSeen(thread)));
  /** The open thread. */
  readonly opened = $derived(this.list.find(({ id }) => id === this.open) ?? null);
  /** How many are not resolved. */
  readonly count = $derived(this.#stored.filter(({ status }) => status !== "resolved").length);
  /** Comments of the person that were not sent yet. */
  readonly unsent = $derived(this.list.filter(isUnsent));
  readonly #source: ThreadsSource;
  readonly #soon: Throttle;
  /** What was asked about already: passages not found in their texts, and the histories of these. */
  readonly #lost = new Set<string>();
  readonly #epochs = new Map<string, string>();
  #reads = 0;

  constructor(source: ThreadsSource) {
    this.#source = source;
    this.composer = $state.raw(this.#composerOf(null));
    this.#soon = new Throttle(RELOAD_MS, () => { source.background(this.load()); });
  }

  /** The open thread's chat, as a conversation calls it. */
  get current(): ChatSession | null {
    return this.session;
  }

  async load(): Promise<void> {
    this.#reads += 1;
    const mine = this.#reads;
    try {
      const found = await this.#source.client.list(this.#source.projectId);
      if (mine !== this.#reads) return;
      this.problem = null;
      this.isLoaded = true;
      // The texts that show tell again where their threads are; for others the server knows best.
      this.#seen = {};
      this.#take(found);
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** Something about a thread has changed. */
  onChange(): void {
    this.#soon.ask();
  }

  /** The threads of a file, in the order of the text; those whose passage is gone come last. */
  of(path: string): readonly Thread[] {
    return this.list.filter((thread) => thread.path === path).sort(byLine);
  }

  /** Those of a file that have a place in its text, by the server's word. */
  placedIn(path: string): readonly Thread[] {
    return this.#stored.filter((thread) => thread.path === path && thread.place && !thread.isDetached);
  }

  find(id: string): Thread | null {
    return this.list.find((thread) => thread.id === id) ?? null;
  }

  /** Opens a thread; null shows the list. */
  show(id: string | null): void {
    this.draft = null;
    if (id === this.open) return;
    this.open = id;
    this.#attend();
    this.composer = this.#composerOf(this.opened);
  }

  /** Prepares a thread or comment: the panel asks for its first words. */
  begin(draft: ThreadDraft): void {
    this.show(null);
    this.draft = draft;
    this.composer.focus();
  }

  /** Lets go of what was about to begin. Its words stay in the field for the next one. */
  cancel(): void {
    this.draft = null;
  }

  /** Sends what the field holds: as the first words of a thread or comment, or as a reply. */
  async send(): Promise<void> {
    const { draft, opened } = this;
    if (draft) await this.composer.send((turn) => this.#beginWith(draft, turn));
    else if (opened) await this.composer.send((turn) => this.#say(opened, turn));
  }

  /** Makes a thread with its first message, or a comment with its words. */
  async create(passage: NewPassage, beginning: Beginning): Promise<Thread> {
    const made = await this.#source.client.create(this.#source.projectId, passage, beginning);
    this.#put(made);
    return made;
  }

  async reply(id: string, message: ThreadMessage): Promise<ThreadTurn> {
    const turn = await this.#source.client.reply(this.#source.projectId, id, message);
    await this.load();
    return turn;
  }

  resolve(id: string, resolved: boolean): Promise<void> {
    return this.#save(id, () => ({ body: null, resolved }));
  }

  /** Changes the words of a comment. */
  edit(id: string, body: string): Promise<void> {
    return this.#save(id, ({ status }) => ({ body, resolved: status === "resolved" }));
  }

  async remove(id: string): Promise<void> {
    await this.#source.client.remove(this.#source.projectId, id);
    this.#reads += 1;
    this.#take(this.#stored.filter((thread) => thread.id !== id));
  }

  /** Sends several comments as one message: to a chat, or to a new one. */
  async sendAll(ids: readonly string[], text: string, chatId: string | null, model: string | null = null): Promise<ThreadTurn> {
    await Promise.all([...new Set(this.list.flatMap(({ id, path }) => (path !== null && ids.includes(id) ? [path] : [])))].map((path) => this.#source.stored(path)));
    const turn = await this.#source.client.send(this.#source.projectId, { ids, text, chatId, model, ...this.composer.goesAlong() });
    await this.load();
    return turn;
  }

  /** Shows where a thread is: its file at the passage, or the answer. */
  goTo(id: string): void {
    const thread = this.find(id);
    if (thread) this.#source.goTo(thread);
  }

  /** An open text tells where its threads are now. Those that it can't find are asked about: the server looks for their words. */
  onSeen(path: string, { lines, epoch, isEdited, holds }: SeenThreads): void {
    this.#seen = { ...this.#seen, [path]: lines };
    const mine = this.#stored.filter((thread) => thread.path === path);
    const isLost = isEdited && mine.some(({ isDetached, text }) => isDetached && holds(text));
    const isOther = this.#epochs.get(path) !== epoch && mine.some(({ place }) => place !== null && place.epoch !== epoch);
    const news = [...lines].filter(([id, line]) => (line === null) !== this.#lost.has(id));
    for (const [id, line] of news) {
      if (line === null) this.#lost.add(id);
      else this.#lost.delete(id);
    }
    this.#epochs.set(path, epoch);
    if (isLost || isOther || news.length > 0) this.onChange();
  }

  close(): void {
    this.session?.close();
    this.session = null;
  }

  async #beginWith(draft: ThreadDraft, turn: NewTurn): Promise<void> {
    if (draft.path !== null) await this.#source.stored(draft.path);
    const passage = draft.where();
    if (!passage) throw new RequestFailed(GONE);
    const made = await this.create(passage, draft.kind === "comment" ? { body: turn.text } : turn);
    if (this.draft === draft) this.show(draft.kind === "thread" ? made.id : null);
  }

  async #say(thread: Thread, turn: NewTurn): Promise<void> {
    if (this.session) await this.session.say(turn);
    else await this.reply(thread.id, turn);
  }

  async #save(id: string, change: (thread: Thread) => ThreadChange): Promise<void> {
    try {
      await this.#saveOnce(id, change);
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== OUTDATED) throw error;
      // An answer that came meanwhile counts as a change: what was just chosen is newer.
      await this.load();
      await this.#saveOnce(id, change);
    }
  }

  async #saveOnce(id: string, change: (thread: Thread) => ThreadChange): Promise<void> {
    const thread = this.#stored.find((one) => one.id === id);
    if (thread) this.#put(await this.#source.client.save(thread, change(thread)));
  }

  #put(thread: Thread): void {
    this.#reads += 1;
    const isKnown = this.#stored.some(({ id }) => id === thread.id);
    this.#take(isKnown ? this.#stored.map((one) => (one.id === thread.id ? thread : one)) : [...this.#stored, thread]);
    this.#soon.ask();
  }

  #take(threads: readonly Thread[]): void {
    this.#stored = threads;
    if (this.open !== null && !this.opened) this.show(null);
    else if (this.#attend()) this.composer = this.#composerOf(this.opened);
  }

  /** Listens to the open thread's chat, from when it has one; tells whether that is another than before. */
  #attend(): boolean {
    const chatId = this.opened?.chatId ?? null;
    if (chatId === (this.session?.id ?? null)) return false;
    this.close();
    if (chatId === null) return true;
    const session = this.#source.session(chatId);
    this.session = session;
    this.#source.background(session.load());
    return true;
  }

  #composerOf(thread: Thread | null): Composer {
    return this.#source.composer(thread ? `thread.${thread.id}` : `thread.new.${this.#source.projectId}`, thread?.chatId ?? null);
  }

  /** The server tells where a passage was when it was asked; a text that is open knows better. */
  #asSeen(thread: Thread): Thread {
    const line = thread.path === null ? undefined : this.#seen[thread.path]?.get(thread.id);
    if (line === undefined || line === thread.line) return thread;
    return { ...thread, line: line ?? thread.line, isDetached: line === null };
  }
}

const GONE: Problem = { type: "about:blank", title: "The passage is gone", status: 409, detail: "The passage is not in the text any more.", remedy: "Select a passage again." };

function isUnsent({ chatId, sent, status, author }: Thread): boolean {
  return chatId === null && sent === null && status !== "resolved" && author === "person";
}

function byLine(one: Thread, other: Thread): number {
  return Number(one.isDetached) - Number(other.isDetached) || (one.line ?? 0) - (other.line ?? 0) || one.createdAt - other.createdAt;
}
