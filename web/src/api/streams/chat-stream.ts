/** One chat's events: resumes after the last one heard, over drops of the network and a sleeping tab. */
import type { ChatEvent } from "../resources/chats";
import { RETRY_MS } from "./events";
import { type EventSourceLike, SocketSource } from "./socket-source";
import { ROOT } from "../wire";

export type OpenSource = (url: string) => EventSourceLike;

const KINDS: readonly ChatEvent["kind"][] = [
  "entry", "turn", "step", "reading", "text", "thinking", "call_written", "call_started", "call_output", "call_ended", "approval", "approval_answered", "elicitation", "elicitation_answered", "chat", "pin",
];

export class ChatStream {
  readonly #path: string;
  readonly #onEvent: (event: ChatEvent) => void;
  readonly #open: OpenSource;
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #last = 0;

  constructor(chatId: string, onEvent: (event: ChatEvent) => void, open: OpenSource = (url) => new SocketSource(url)) {
    this.#path = `${ROOT}/chats/${encodeURIComponent(chatId)}/events`;
    this.#onEvent = onEvent;
    this.#open = open;
  }

  /** Follows the chat from after this event. */
  follow(after: number): void {
    this.#last = after;
    this.#start();
  }

  /** Skips the pause before the next attempt. */
  retryNow(): void {
    if (this.#timer !== undefined) this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#source?.close();
    this.#source = null;
  }

  #start(): void {
    this.stop();
    const source = this.#open(`${this.#path}?after=${String(this.#last)}`);
    this.#source = source;
    source.addEventListener("open", () => { this.#attempt = 0; });
    source.addEventListener("chat", (message) => { this.#receive(readChatEvent(message.data)); });
    source.addEventListener("error", () => {
      if (this.#source === source) this.#down();
    });
  }

  #receive(event: ChatEvent): void {
    this.#attempt = 0;
    this.#last = Math.max(this.#last, event.seq);
    this.#onEvent(event);
  }

  #down(): void {
    this.stop();
    const pause = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    this.#timer = setTimeout(() => { this.#start(); }, pause);
  }
}

/** Reads one event's data; a shape that is not the server's fails at once. */
export function readChatEvent(data: string): ChatEvent {
  const value: unknown = JSON.parse(data);
  if (!isEvent(value)) throw new TypeError(`This is no event of a chat: ${data.slice(0, 200)}`);
  return value;
}

function isEvent(value: unknown): value is ChatEvent {
  return (
    typeof value === "object" && value !== null &&
    "seq" in value && typeof value.seq === "number" &&
    "kind" in value && KINDS.some((kind) => kind === value.kind)
  );
}
