/** Runs work a moment after it is asked for; asking again before that changes nothing. */

export class Throttle {
  readonly #pauseMs: number;
  readonly #work: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(pauseMs: number, work: () => void) {
    this.#pauseMs = pauseMs;
    this.#work = work;
  }

  /** Asks. A stream of requests is served at every pause, however dense it is. */
  ask(): void {
    this.#timer ??= setTimeout(() => { this.now(); }, this.#pauseMs);
  }

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work();
  }
}
