/** Models that run on this computer: what can be fetched, how far it is, and other files that are used. */
import { type Client, type FetchableModel, type LocalModelList, type Problem, problemOf } from "../../api";
import type { Background } from "../../core/background";

/** How often the page asks how far a fetch is. */
export const LOOK_MS = 1000;

export class LocalModels {
  list = $state.raw<LocalModelList | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #client: Client;
  readonly #background: Background;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(client: Client, background: Background) {
    this.#client = client;
    this.#background = background;
  }

  async load(): Promise<void> {
    await this.#take(this.#client.servers.localModels());
  }

  async start(id: string): Promise<void> {
    await this.#take(this.#client.servers.startFetch(id));
  }

  async stop(id: string): Promise<void> {
    await this.#take(this.#client.servers.stopFetch(id));
  }

  async remove(id: string): Promise<void> {
    await this.#take(this.#client.servers.removeLocal(id).then(() => this.#client.servers.localModels()));
  }

  /** Uses a file that lies anywhere. Tells whether it could be used. */
  async add(path: string): Promise<boolean> {
    await this.#take(this.#client.servers.addFile(path).then(() => this.#client.servers.localModels()));
    return this.problem === null;
  }

  async #take(answer: Promise<LocalModelList>): Promise<void> {
    try {
      this.list = await answer;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.#lookAgain();
  }

  /** While something is fetched, its progress is asked for. */
  #lookAgain(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.list?.items.some((one) => one.state === "fetching")) return;
    this.#timer = setTimeout(() => { this.#background(this.load()); }, LOOK_MS);
  }
}

/** A size as people say it. */
export function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${String(Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** What a model of the list takes, and under which licence it may be used. */
export function factsOf(model: FetchableModel): string {
  return `${sizeText(model.bytes)} to fetch, ${sizeText(model.memoryBytes)} of memory, ${model.licence}`;
}

/** How much of a model is there, from 0 to 100. */
export function percentOf({ doneBytes, bytes }: FetchableModel): number {
  return Math.floor((doneBytes * 100) / bytes);
}
