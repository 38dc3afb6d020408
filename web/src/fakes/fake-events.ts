/** An event source that a test speaks through. */
import type { EventSourceLike } from "../api";

export class FakeSource implements EventSourceLike {
  readonly url: string;
  closed = false;
  readonly #listeners = new Map<string, (event: MessageEvent<string>) => void>();

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.#listeners.set(type, listener);
  }

  close(): void {
    this.closed = true;
  }

  say(type: string, data: unknown): void {
    this.#listeners.get(type)?.(new MessageEvent(type, { data: JSON.stringify(data) }));
  }

  fail(): void {
    this.#listeners.get("error")?.(new MessageEvent("error"));
  }
}

/** Opens sources and keeps them, so that a test can speak through the newest. The server's own greets as the server does. */
export class FakeEvents {
  readonly sources: FakeSource[] = [];
  readonly #greets: boolean;

  constructor({ greets = true }: { greets?: boolean } = {}) {
    this.#greets = greets;
  }

  readonly open = (url: string): FakeSource => {
    const source = new FakeSource(url);
    this.sources.push(source);
    if (this.#greets && !isOfChat(source)) queueMicrotask(() => { source.say("hello", { version: "0.1.0", storeAnswers: true }); });
    return source;
  };

  /** The newest that follows the server's own changes. */
  get newest(): FakeSource {
    return this.#last((source) => !isOfChat(source));
  }

  /** The newest that follows a chat. */
  get chat(): FakeSource {
    return this.#last(isOfChat);
  }

  #last(fits: (source: FakeSource) => boolean): FakeSource {
    const source = this.sources.findLast(fits);
    if (!source) throw new Error("No event source was opened.");
    return source;
  }
}

function isOfChat(source: FakeSource): boolean {
  return source.url.includes("/chats/");
}
