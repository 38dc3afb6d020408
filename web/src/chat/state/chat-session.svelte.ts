/** One open chat: what it holds, followed live, and everything a person can do in it. */
import {
  type ApprovalAnswer, type Chat, type ChatEvent, type ChatsClient, ChatStream, type ChatTotals, type ChatUpdate, type ElicitationReply, type NewImage, type NewTurn, type OpenSource,
  type Problem, problemOf, type TurnAdmitted, type UserEntry,
} from "../../api";
import { base64, imageType } from "./attachments.svelte";
import { type ChatState, fold, openState } from "./chat-reducer";
import { type AnswerItem, gather, type Gathered, type Item, itemsOf, liveItem, NOTHING } from "./chat-items";
import { overtakenWords } from "../labels";
import { saveSeen } from "../../core/concurrent-save";
import { Throttle } from "../../core/throttle";
import { afterTyping } from "../../core/after-typing";
import type { Background } from "../../core/background";

/** Events that come this close together are shown together: quicker is not seen, and every showing is painted. */
const SHOW_MS = 50;
const TOTALS_MS = 300;
/** So many earlier entries are read at once on the way to a place far back. */
const FAR_PAGE = 500;

/** Where in a chat something was said, and the words that led there. */
export interface SaidPlace {
  seq: number;
  words: readonly string[];
}

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
  /** The bar that finds words in it is open. */
  isFinding = $state(false);
  /** The place that the page shows next. */
  wanted = $state.raw<SaidPlace | null>(null);
  readonly running = $derived(this.state?.turns.find((turn) => turn.state === "running") ?? null);
  readonly queued = $derived(this.state?.turns.filter((turn) => turn.state === "queued") ?? []);
  readonly approvals = $derived(this.state?.approvals ?? []);
  /** Questions of MCP servers. */
  readonly elicitations = $derived(this.state?.elicitations ?? []);
  /** Whether it goes on only when a person has answered. */
  readonly isAsking = $derived(this.approvals.length + this.elicitations.length > 0);
  readonly #entries = $derived(this.state?.entries ?? []);
  #gathered: Gathered = NOTHING;
  readonly #settled: Gathered = $derived.by(() => {
    this.#gathered = gather(this.#entries, this.#gathered);
    return this.#gathered;
  });
  /** The answer that is being written, or whose tools run; the last of the history where that one goes on. */
  readonly now: AnswerItem | null = $derived(this.state ? liveItem(this.#settled.items, this.state) : null);
  readonly #isGoingOn = $derived(this.now !== null && this.now.key === this.#settled.items.at(-1)?.key);
  /** All that stands before it: the same list, as long as nothing has come to the history. */
  readonly past: readonly Item[] = $derived(this.#isGoingOn ? this.#settled.items.slice(0, -1) : this.#settled.items);
  readonly items: readonly Item[] = $derived(this.now ? [...this.past, this.now] : this.past);
  readonly #client: ChatsClient;
  readonly #background: Background;
  readonly #stream: ChatStream;
  readonly #heard: ChatEvent[] = [];
  readonly #showAll = (): void => { this.#fold(); };
  readonly #foldSoon = new Throttle(SHOW_MS, () => { afterTyping(this.#showAll); });
  readonly #totalsSoon = new Throttle(TOTALS_MS, () => { this.#background(this.#readTotals()); });
  #chat: Chat | null = null;
  #loading: Promise<void> | null = null;
  #earlier: Promise<boolean> | null = null;

  constructor(id: string, { client, background, openEvents }: ChatOptions) {
    this.id = id;
    this.#client = client;
    this.#background = background;
    this.#stream = new ChatStream(id, (event) => { this.#hear(event); }, openEvents);
  }

  /** Reads the end of the chat and follows it from there. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => { this.#loading = null; });
    return this.#loading;
  }

  /** Reads back as far as a place, and has the page show it. */
  async goTo(place: SaidPlace): Promise<void> {
    if (!this.state) await this.load();
    while (this.state?.hasEarlier && (this.state.entries[0]?.seq ?? 0) > place.seq) {
      if (!(await this.readEarlier(FAR_PAGE))) break;
    }
    this.wanted = place;
  }

  async #load(): Promise<void> {
    try {
      const view = await this.#client.view(this.id);
      const earlier = this.#earlierThan(view.entries[0]?.seq ?? Infinity);
      const state = openState(view);
      this.#heard.length = 0;
      this.#chat = view.chat;
      this.totals = view.totals;
      this.state = { ...state, entries: [...earlier, ...state.entries], hasEarlier: earlier.length > 0 ? (this.state?.hasEarlier ?? false) : state.hasEarlier };
      this.problem = null;
      this.#stream.follow(view.lastEvent);
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  close(): void {
    this.#stream.stop();
  }

  /** Skips the pause, for when the network or the person comes back. */
  retryNow(): void {
    this.#stream.retryNow();
  }

  /** The key of the last answer of a turn: one that was steered has several. */
  endOf(turnId: string): string | null {
    return this.now?.turnId === turnId ? this.now.key : (this.#settled.ends.get(turnId) ?? null);
  }

  /** Reads everything before the first. */
  async readAll(): Promise<void> {
    while (this.state?.hasEarlier) if (!(await this.readEarlier(FAR_PAGE))) break;
  }

  /** Reads some entries before the first; tells whether it did. */
  readEarlier(limit?: number): Promise<boolean> {
    this.#earlier ??= this.#readEarlier(limit).finally(() => { this.#earlier = null; });
    return this.#earlier;
  }

  async #readEarlier(limit?: number): Promise<boolean> {
    const first = this.state?.entries[0];
    if (!this.state?.hasEarlier || !first) return false;
    this.isReadingEarlier = true;
    try {
      const page = await this.#client.entries(this.id, first.seq, limit);
      if (this.state.entries[0] === first) this.state = { ...this.state, entries: [...page.items, ...this.state.entries], hasEarlier: page.hasEarlier };
      return true;
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

  reply(elicitationId: string, answer: ElicitationReply): Promise<void> {
    return this.#client.reply(elicitationId, answer);
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

  /** Every tab that shows the chat hears of it, this one too. */
  pin(entryId: string, pinned: boolean): Promise<void> {
    return this.#client.pin(this.id, entryId, pinned);
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

  /** The chat as this page shows it; null until it was read. */
  get seen(): Chat | null {
    // The state first: whoever asks before the chat was read hears of it then.
    return this.state && this.#chat ? { ...this.#chat, title: this.state.title, model: this.state.model } : null;
  }

  chooseModel(model: string | null): Promise<void> {
    return this.change({ model });
  }

  /** Changes the chat as it was seen. Raises Overtaken where another tab changed the same of it meanwhile. */
  async change(change: Partial<ChatUpdate>, seen = this.seen): Promise<void> {
    if (!seen) return;
    this.#take(
      await saveSeen<Chat, Partial<ChatUpdate>>(seen, change, {
        save: (onto, what) => this.#client.save(onto, what),
        read: async () => (await this.#client.view(this.id)).chat,
        words: overtakenWords,
      }),
    );
  }

  #take(chat: Chat): void {
    this.#chat = chat;
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
    if (heard.some((event) => event.kind === "entry" || event.kind === "turn" || event.kind === "chat")) this.#totalsSoon.ask();
  }

  async #readTotals(): Promise<void> {
    const view = await this.#client.view(this.id);
    this.totals = view.totals;
    this.#chat = view.chat;
  }
}
