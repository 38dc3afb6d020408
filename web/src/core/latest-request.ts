/** Asks once typing pauses, and lets only the newest question's answer through. */
import { isAbort } from "../api";

export class LatestRequest {
  readonly #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Asks after the pause. A later call, or cancel, makes this one's answer and failure vanish. */
  ask<T>(question: (signal: AbortSignal) => Promise<T>, onAnswer: (answer: T) => void, onFailure: (error: unknown) => void): void {
    this.cancel();
    this.#timer = setTimeout(() => {
      const running = new AbortController();
      this.#running = running;
      question(running.signal).then(
        (answer) => {
          if (this.#running === running) onAnswer(answer);
        },
        (error: unknown) => {
          if (this.#running === running && !isAbort(error)) onFailure(error);
        },
      );
    }, this.#pauseMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
  }
}
