/** Asks once typing pauses, and lets only the newest question's answer through. */
import { isAbort } from "../api";

export class LatestRequest {
  readonly #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;
  #isAsking = false;
  #next: (() => void) | null = null;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Asks after the pause. A later call, or cancel, makes this one's answer and failure vanish. */
  ask<T>(question: (signal: AbortSignal) => Promise<T>, onAnswer: (answer: T) => void, onFailure: (error: unknown) => void): void {
    this.cancel();
    this.#isAsking = true;
    this.#timer = setTimeout(() => {
      const running = new AbortController();
      this.#running = running;
      question(running.signal).then(
        (answer) => {
          if (this.#running === running) this.#end(() => { onAnswer(answer); });
        },
        (error: unknown) => {
          if (this.#running === running && !isAbort(error)) this.#end(() => { onFailure(error); });
        },
      );
    }, this.#pauseMs);
  }

  /** Does something with what is found: now, or once the question that is out has ended. A newer question forgets it. */
  whenAnswered(run: () => void): void {
    if (this.#isAsking) this.#next = run;
    else run();
  }

  cancel(): void {
    this.#isAsking = false;
    this.#next = null;
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
  }

  #end(take: () => void): void {
    const next = this.#next;
    this.#isAsking = false;
    this.#next = null;
    take();
    next?.();
  }
}
