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

/** Opens sources and keeps them, so that a test can speak through the newest. */
export class FakeEvents {
  readonly sources: FakeSource[] = [];

  readonly open = (url: string): FakeSource => {
    const source = new FakeSource(url);
    this.sources.push(source);
    return source;
  };

  /** The newest that follows the server's own changes. */
  get newest(): FakeSource {
    return this.#last((source) => !source.url.includes("/chats/"));
  }

  /** The newest that follows a chat. */
  get chat(): FakeSource {
    return this.#last((source) => source.url.includes("/chats/"));
  }

  #last(fits: (source: FakeSource) => boolean): FakeSource {
    const source = this.sources.findLast(fits);
    if (!source) throw new Error("No event source was opened.");
    return source;
  }
}
