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

export class Connection {
  state = $state<ConnectionState>("connecting");
  version = $state<string | null>(null);
  /** The server was updated since this page was loaded: what it asks for may have changed. */
  isOutdated = $state(false);
  /** Whether the server's database answers it; if not, everything waits there. */
  storeAnswers = $state(true);
  readonly #listener: ConnectionListener;
  readonly #stream: EventStream;
  /** A change may have gone by unheard since the page last read everything. */
  #mayHaveMissed = false;
  #decided: () => void = () => undefined;

  constructor(listener: ConnectionListener, open?: (url: string) => EventSourceLike) {
    this.#listener = listener;
    const handlers = {
      onEvent: (event: StreamEvent) => {
        this.#hear(event);
      },
      onDown: () => {
        if (this.state !== "ended") this.state = "offline";
        this.#mayHaveMissed = true;
        this.#decided();
        listener.onDown();
      },
    };
    this.#stream = open ? new EventStream(handlers, open) : new EventStream(handlers);
  }

  /**
   * Begins to listen. What is read after this has settled is kept current: the server has the page among its
   * listeners, or could not be heard, and then the page reads everything again once it is.
   */
  start(): Promise<void> {
    const decided = new Promise<void>((resolve) => { this.#decided = resolve; });
    this.#stream.start();
    return decided;
  }

  /** The session is over: nothing is asked for any more. */
  end(): void {
    this.state = "ended";
    this.#stream.stop();
    this.#decided();
  }

  /** Skips the pause, for when the network or the person comes back. */
  retryNow(): void {
    if (this.state !== "ended") this.#stream.retryNow();
  }

  #hear(event: StreamEvent): void {
    if (event.kind === "store") this.storeAnswers = event.answers;
    if (event.kind === "hello") {
      this.state = "live";
      this.isOutdated ||= this.version !== null && this.version !== event.version;
      this.version = event.version;
      this.storeAnswers = event.storeAnswers;
      if (this.#mayHaveMissed) this.#listener.onReturn();
      this.#mayHaveMissed = true;
      this.#decided();
    }
    this.#listener.onEvent(event);
  }
}
