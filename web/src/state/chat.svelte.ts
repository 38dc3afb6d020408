/** One open chat: what it holds, followed live, and everything a person can do in it. */
import {
  type ApprovalAnswer, type Chat, type ChatEvent, type ChatsClient, ChatStream, type ChatTotals, type ChatUpdate, type NewImage, type NewTurn, type OpenSource,
  type Problem, problemOf, RequestFailed, type TurnAdmitted, type UserEntry,
} from "../api";
import { base64, imageType } from "./attachments.svelte";
import { type ChatState, fold, openState } from "./chat-fold";
import { type Item, itemsOf, withLive } from "./chat-items";
import { HIDDEN_MS } from "./connection.svelte";
import { Soon } from "./soon";
import { afterTyping } from "./typing-first";
import type { Background } from "./workspace.svelte";

/** Events that come this close together are shown together: quicker is not seen, and every showing is painted. */
const SHOW_MS = 50;
const TOTALS_MS = 300;

export interface ChatOptions {
  client: ChatsClient;
  background: Background;
  openEvents?: OpenSource | undefined;
}

export class ChatSession {
  readonly id: string;
  state = $state.raw<ChatState | null>(null);
  totals = $state.raw<ChatTotals | null>(null);
  problem = $state.raw<Problem | null>(null);
  isReadingEarlier = $state(false);
  readonly running = $derived(this.state?.turns.find((turn) => turn.state === "running") ?? null);
  readonly queued = $derived(this.state?.turns.filter((turn) => turn.state === "queued") ?? []);
  readonly approvals = $derived(this.state?.approvals ?? []);
  readonly #entries = $derived(this.state?.entries ?? []);
  readonly #settled: Item[] = $derived(itemsOf(this.#entries));
  readonly items: readonly Item[] = $derived(this.state ? withLive(this.#settled, this.state) : []);
  readonly #client: ChatsClient;
  readonly #background: Background;
  readonly #stream: ChatStream;
  readonly #heard: ChatEvent[] = [];
  readonly #showAll = (): void => { this.#fold(); };
  readonly #foldSoon = new Soon(SHOW_MS, () => { afterTyping(this.#showAll); });
  readonly #totalsSoon = new Soon(TOTALS_MS, () => { this.#background(this.#readTotals()); });
  #version = 0;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, { client, background, openEvents }: ChatOptions) {
    this.id = id;
    this.#client = client;
    this.#background = background;
    this.#stream = new ChatStream(id, (event) => { this.#hear(event); }, openEvents);
  }

  /** Reads the end of the chat and follows it from there. */
  async load(): Promise<void> {
    try {
      const view = await this.#client.view(this.id);
      const earlier = this.#earlierThan(view.entries[0]?.seq ?? Infinity);
      const state = openState(view);
      this.#heard.length = 0;
      this.#version = view.chat.version;
      this.totals = view.totals;
      this.state = { ...state, entries: [...earlier, ...state.entries], hasEarlier: earlier.length > 0 ? (this.state?.hasEarlier ?? false) : state.hasEarlier };
      this.problem = null;
      this.#stream.follow(view.lastEvent);
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  close(): void {
    clearTimeout(this.#hiddenTimer);
    this.#stream.stop();
  }

  /** A hidden page keeps its ear on a running turn only: browsers allow few connections per address. */
  onVisibility(visible: boolean): void {
    clearTimeout(this.#hiddenTimer);
    if (visible) this.#stream.resume();
    else this.#hiddenTimer = setTimeout(() => { if (!this.running) this.#stream.stop(); }, HIDDEN_MS);
  }

  async readEarlier(): Promise<void> {
    const first = this.state?.entries[0];
    if (!this.state?.hasEarlier || !first || this.isReadingEarlier) return;
    this.isReadingEarlier = true;
    try {
      const page = await this.#client.entries(this.id, first.seq);
      if (this.state.entries[0] === first) this.state = { ...this.state, entries: [...page.items, ...this.state.entries], hasEarlier: page.hasEarlier };
    } finally {
      this.isReadingEarlier = false;
    }
  }

  say(turn: NewTurn): Promise<TurnAdmitted> {
    return this.#client.say(this.id, turn);
  }

  async stop(): Promise<void> {
    if (this.running) await this.#client.cancel(this.running.id);
  }

  async steer(text: string): Promise<void> {
    if (this.running) await this.#client.steer(this.running.id, text);
  }

  removeQueued(turnId: string): Promise<void> {
    return this.#client.removeQueued(turnId);
  }

  continue(turnId: string): Promise<void> {
    return this.#client.continue(turnId);
  }

  answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    return this.#client.answer(approvalId, answer);
  }

  edit(entryId: string, turn: NewTurn): Promise<void> {
    return this.#client.edit(this.id, entryId, turn);
  }

  /** The pictures of a message, to send them again with other words. */
  imagesOf(entry: UserEntry): Promise<NewImage[]> {
    return Promise.all(entry.images.map(async ({ hash, mediaType }) => ({ mediaType: imageType(mediaType), data: base64(await this.#client.image(this.id, hash)) })));
  }

  retry(entryId: string, model: string | null): Promise<void> {
    return this.#client.retry(this.id, entryId, model);
  }

  branch(entryId: string): Promise<Chat> {
    return this.#client.branch(this.id, entryId);
  }

  async pin(entryId: string, pinned: boolean): Promise<void> {
    await this.#client.pin(this.id, entryId, pinned);
    if (!this.state) return;
    this.state = { ...this.state, entries: this.state.entries.map((entry) => (entry.id === entryId && entry.kind === "user" ? { ...entry, pinned } : entry)) };
  }

  summarise(): Promise<void> {
    return this.#client.summarise(this.id);
  }

  takeOffSummary(entryId: string): Promise<void> {
    return this.#client.takeOffSummary(this.id, entryId);
  }

  async discarded(entryId: string): Promise<Item[]> {
    return itemsOf((await this.#client.discarded(this.id, entryId)).items);
  }

  rename(title: string): Promise<void> {
    return this.#save({ title, model: this.state?.model ?? null });
  }

  chooseModel(model: string | null): Promise<void> {
    return this.#save({ title: this.state?.title ?? "", model });
  }

  async #save(change: ChatUpdate): Promise<void> {
    try {
      this.#take(await this.#client.save(this.id, this.#version, change));
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== 412) throw error;
      // Somebody else changed the chat, most often by its automatic title: what was just chosen is newer.
      await this.load();
      this.#take(await this.#client.save(this.id, this.#version, change));
    }
  }

  #take(chat: Chat): void {
    this.#version = chat.version;
    if (this.state) this.state = { ...this.state, title: chat.title, model: chat.model };
  }

  #earlierThan(seq: number) {
    return (this.state?.entries ?? []).filter((entry) => entry.seq < seq);
  }

  #hear(event: ChatEvent): void {
    this.#heard.push(event);
    this.#foldSoon.ask();
  }

  #fold(): void {
    if (!this.state || this.#heard.length === 0) return;
    const heard = this.#heard.splice(0);
    this.state = heard.reduce(fold, this.state);
    if (heard.some((event) => event.kind === "entry" || event.kind === "turn")) this.#totalsSoon.ask();
  }

  async #readTotals(): Promise<void> {
    const view = await this.#client.view(this.id);
    this.totals = view.totals;
    this.#version = view.chat.version;
  }
}
