/** Requests to change the open document: sent as turns of the chat, followed in one line at the document's foot. */
import { type NewTurn, type Problem, RequestFailed, type Transform, UNREACHABLE } from "../../api";
import { answerOf, statusOf } from "./agent-status";
import type { Chats } from "../../chat-library/state/chats.svelte";
import type { ChatSession } from "../../chat/state/chat-session.svelte";
import type { Background } from "../../core/background";
import type { Selected } from "../../documents/state/viewer";

/** What is wanted: in words, or as a ready request. */
export type EditRequest = { text: string } | { transform: Transform; argument: string | null };

export interface AgentSource {
  chats: Chats;
  background: Background;
  /** Waits until the server has every edit of a text: places are told in the text that it has. */
  stored(path: string): Promise<void>;
  cancel(turnId: string): Promise<void>;
  removeQueued(turnId: string): Promise<void>;
}

interface Job {
  path: string;
  chatId: string;
  turnId: string;
  /** The comment of a Word document that it was asked about. */
  comment?: string;
}

/** What was answered about a comment, for the person to put into it. */
export interface CommentAnswer {
  path: string;
  comment: string;
  chatId: string;
  text: string;
}

export class DocumentAgent {
  /** Whether the field for a request in words is open; it also serves for the word that a ready request wants. */
  isAsking = $state(false);
  /** The field should take the focus, also when it is open already; taken by the view. */
  wantsFocus = $state(false);
  text = $state("");
  /** The ready request that waits for a word more, such as a language. */
  wants = $state.raw<Transform | null>(null);
  isSending = $state(false);
  /** Why the last request was not taken, and which document it was about. */
  problem = $state.raw<Problem | null>(null);
  asked = $state<string | null>(null);
  job = $state.raw<Job | null>(null);
  /** Answers about comments that nobody has put into them, or sent away. */
  answers = $state.raw<readonly CommentAnswer[]>([]);
  readonly #source: AgentSource;
  /** The job's chat, when another one is shown. */
  #aside = $state.raw<ChatSession | null>(null);
  /** The job's turn, once its chat has told of it, and the last one of which nothing more is wanted. */
  #seen: string | null = null;
  #over: string | null = null;
  readonly #session = $derived(this.#chat());
  readonly status = $derived(this.job && statusOf(this.#session?.state ?? null, this.job.turnId));

  constructor(source: AgentSource) {
    this.#source = source;
  }

  /** Opens the field, for a request in words or for what a ready one wants to know. */
  openField(wants: Transform | null = null): void {
    this.problem = null;
    this.wants = wants;
    this.isAsking = true;
    this.wantsFocus = true;
  }

  closeField(): void {
    this.isAsking = false;
    this.wants = null;
    this.problem = null;
  }

  /** Sends what the field holds. If that fails it stays there, with the reason. */
  async send(path: string, selected: () => Selected | null): Promise<void> {
    const text = this.text.trim();
    if (text === "") return;
    const wish = this.wants ? { transform: this.wants, argument: text } : { text };
    if (!(await this.ask(path, wish, selected))) return;
    this.text = "";
    this.closeField();
  }

  /** Asks for a change of a document, of the selected passage if there is one. Tells whether the request was taken. */
  async ask(path: string, wish: EditRequest, selected: () => Selected | null, comment?: string): Promise<boolean> {
    if (this.isSending) return false;
    this.isSending = true;
    this.problem = null;
    this.asked = path;
    try {
      await this.#source.stored(path);
      const said = await this.#source.chats.say(this.#turn(path, wish, selected()));
      this.job = { path, ...said, ...(comment === undefined ? {} : { comment }) };
      return true;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.problem = error.problem;
      return false;
    } finally {
      this.isSending = false;
    }
  }

  /** Recto answers again. */
  forgetUnreachable(): void {
    if (this.problem?.status === UNREACHABLE) this.problem = null;
  }

  async stop(): Promise<void> {
    if (!this.job) return;
    const { turnId } = this.job;
    await (this.status?.phase === "waiting" ? this.#source.removeQueued(turnId) : this.#source.cancel(turnId));
    if (this.status?.phase === "waiting") this.forget();
  }

  /** Keeps what was answered about a comment; tells whether that was asked. */
  keepAnswer(): boolean {
    const { job } = this;
    const text = job && this.status?.phase === "done" ? answerOf(this.#session?.state ?? null, job.turnId) : "";
    if (job?.comment === undefined || text === "") return false;
    const { path, comment, chatId } = job;
    this.answers = [...this.answers.filter((known) => known.path !== path || known.comment !== comment), { path, comment, chatId, text }];
    return true;
  }

  dropAnswer(answer: CommentAnswer): void {
    this.answers = this.answers.filter((known) => known !== answer);
  }

  /** Takes note of how the last request ended. */
  forget(): void {
    this.#over = this.job?.turnId ?? this.#over;
    this.job = null;
    this.problem = null;
    this.#leave();
  }

  /** Listens to the job's chat by itself while another chat is shown. After a reload, finds the job again. */
  follow(): void {
    const { chats, background } = this.#source;
    this.job ??= openJob(chats.current, this.#over);
    this.#noteEnd();
    const wanted = this.job && chats.current?.id !== this.job.chatId ? this.job.chatId : null;
    if (wanted === (this.#aside?.id ?? null)) return;
    this.#leave();
    if (wanted === null) return;
    const session = chats.session(wanted);
    this.#aside = session;
    background(session.load());
  }

  close(): void {
    this.#leave();
  }

  /** A turn that waited and was taken back leaves nothing behind that would tell of its end. */
  #noteEnd(): void {
    const state = this.#session?.state;
    if (!this.job || !state) return;
    const { turnId } = this.job;
    if (state.turns.some((turn) => turn.id === turnId)) this.#seen = turnId;
    else if (this.#seen === turnId && this.status?.phase === "working") this.forget();
  }

  #leave(): void {
    this.#aside?.close();
    this.#aside = null;
  }

  #chat(): ChatSession | null {
    const { current } = this.#source.chats;
    return current && current.id === this.job?.chatId ? current : this.#aside;
  }

  #turn(path: string, wish: EditRequest, selected: Selected | null): NewTurn {
    const { composer } = this.#source.chats;
    const mine = selected?.path === path ? selected : null;
    const selection = mine && "start" in mine ? { start: mine.start, end: mine.end } : null;
    const passage = mine && "passage" in mine ? mine.passage : null;
    const said = "text" in wish ? { text: wish.text } : { text: "", transform: { id: wish.transform.id, argument: wish.argument } };
    return {
      files: [], contextIds: [], skillIds: [], additionalPrompt: "", selection: null, images: [], model: composer.model, plan: false, ...composer.context(),
      profile: "document", document: { path, selection, passage }, ...said,
    };
  }
}

/** The turn of a chat that is about a document and has not ended. */
function openJob(chat: ChatSession | null, over: string | null): Job | null {
  const turn = chat?.state?.turns.find(({ id, document, state }) => id !== over && document !== null && state !== "interrupted");
  return chat && turn && turn.document !== null ? { path: turn.document, chatId: chat.id, turnId: turn.id } : null;
}
