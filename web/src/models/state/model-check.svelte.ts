/** Asking every provider which models it has: can take seconds, can be stopped, tells how long it takes. */
import { type Client, isAbort, type Problem, problemOf, type ProviderCheck } from "../../api";

/** Work that takes longer says so in words. */
export const WORDS_AFTER_S = 2;

export class ModelsCheck {
  running = $state(false);
  /** How long the check has been running. */
  seconds = $state(0);
  results = $state.raw<readonly ProviderCheck[] | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly isSlow = $derived(this.running && this.seconds >= WORDS_AFTER_S);
  readonly gone = $derived(new Set(this.results?.flatMap((result) => result.gone.map((model) => model.id)) ?? []));
  readonly #client: Client;
  #abort: AbortController | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    this.seconds = 0;
    this.problem = null;
    this.#abort = new AbortController();
    const clock = setInterval(() => { this.seconds += 1; }, 1000);
    try {
      this.results = (await this.#client.checkModels(this.#abort.signal)).items;
    } catch (error) {
      if (!isAbort(error)) this.problem = problemOf(error);
    } finally {
      clearInterval(clock);
      this.running = false;
    }
  }

  stop(): void {
    this.#abort?.abort();
  }
}
