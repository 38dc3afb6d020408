/** Whether the page hears the server, and what it hears. */
import { EventStream, type EventSourceLike, type StreamEvent } from "../api";

export type ConnectionState = "connecting" | "live" | "offline" | "ended";

export interface ConnectionListener {
  onEvent(event: StreamEvent): void;
  /** The stream is back after a gap in which events of files may have been missed. */
  onReturn(): void;
  /** The stream broke; asks the server whether the session still holds. */
  onDown(): void;
}

/** A hidden page lets its connection go after this long: browsers allow few per address. */
export const HIDDEN_MS = 60_000;

export class Connection {
  state = $state<ConnectionState>("connecting");
  version = $state<string | null>(null);
  readonly #listener: ConnectionListener;
  readonly #stream: EventStream;
  #heardBefore = false;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  #resting = false;

  constructor(listener: ConnectionListener, open?: (url: string) => EventSourceLike) {
    this.#listener = listener;
    const handlers = {
      onEvent: (event: StreamEvent) => {
        this.#hear(event);
      },
      onDown: () => {
        if (this.state !== "ended") this.state = "offline";
        listener.onDown();
      },
    };
    this.#stream = open ? new EventStream(handlers, open) : new EventStream(handlers);
  }

  start(): void {
    this.#stream.start();
  }

  /** The session is over: nothing is asked for any more. */
  end(): void {
    this.state = "ended";
    this.#stream.stop();
  }

  retryNow(): void {
    this.#stream.retryNow();
  }

  onVisibility(visible: boolean): void {
    clearTimeout(this.#hiddenTimer);
    if (this.state === "ended") return;
    if (!visible) {
      this.#hiddenTimer = setTimeout(() => {
        this.#resting = true;
        this.#stream.stop();
      }, HIDDEN_MS);
    } else if (this.#resting) {
      this.#resting = false;
      this.#stream.start();
    } else {
      this.#stream.retryNow();
    }
  }

  #hear(event: StreamEvent): void {
    if (event.kind === "hello") {
      this.state = "live";
      this.version = event.version;
      if (this.#heardBefore) this.#listener.onReturn();
      this.#heardBefore = true;
    }
    this.#listener.onEvent(event);
  }
}
