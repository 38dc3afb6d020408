/** A project's contexts: named groups of files, shared by every tab. Which ones go along is the tab's own matter (Picked). */
import { type Context, type ContextForm, type ContextsClient, RequestFailed } from "../../api";
import { ServerList } from "../../core/server-list.svelte";
import { Throttle } from "../../core/throttle";
import type { Background } from "../../core/background";

/** Somebody who types saves every second: files are counted again a moment after they changed, not each time. */
export const RECOUNT_MS = 500;
const OUTDATED = 412;
const GONE = 404;

export interface ContextsSource {
  client: ContextsClient;
  projectId: string;
  background: Background;
}

export class Contexts {
  /** The one that the form is about; null is a new one. */
  edited = $state.raw<Context | null>(null);
  readonly #source: ContextsSource;
  readonly #listing: ServerList<Context>;
  #model: string | null = null;
  readonly #soon: Throttle;

  constructor(source: ContextsSource) {
    this.#source = source;
    this.#listing = new ServerList((cursor) => source.client.list(source.projectId, this.#model, cursor));
    this.#soon = new Throttle(RECOUNT_MS, () => { this.onChange(); });
  }

  get list(): readonly Context[] {
    return this.#listing.items;
  }

  /** By name, as people look for them. */
  get sorted(): readonly Context[] {
    return [...this.list].sort((one, other) => one.name.localeCompare(other.name));
  }

  get isLoaded(): boolean {
    return this.#listing.isLoaded;
  }

  get problem() {
    return this.#listing.problem;
  }

  load(): Promise<void> {
    return this.#listing.load();
  }

  /** Counts as a model does from now on. */
  countAs(model: string): void {
    if (model === this.#model) return;
    this.#model = model;
    this.onChange();
  }

  find(id: string): Context | null {
    return this.#listing.find(id);
  }

  /** Something about a context has changed. */
  onChange(): void {
    this.#source.background(this.load());
  }

  /** Follows a change on disk: files of a context may be gone, back, or of another length. */
  onFiles(folders: readonly string[], all: boolean): void {
    const touches = (file: string) => folders.some((folder) => folder === "" || file.startsWith(`${folder}/`));
    if (all || this.list.some(({ files }) => files.some(touches))) this.#soon.ask();
  }

  async create(form: ContextForm): Promise<Context> {
    const made = await this.#source.client.create(this.#source.projectId, form);
    this.#listing.put(made);
    return made;
  }

  /** Saves a context. When somebody else changed it, it is read again and the failure (412) is passed on. */
  async save(context: Context, change: Partial<ContextForm>): Promise<Context> {
    const { name, files, color } = context;
    try {
      const saved = await this.#source.client.save(context, { name, files, color, ...change });
      this.#listing.put(saved);
      return saved;
    } catch (error) {
      if (error instanceof RequestFailed && [OUTDATED, GONE].includes(error.status)) await this.load();
      throw error;
    }
  }

  async remove({ id }: Context): Promise<void> {
    await this.#source.client.remove(this.#source.projectId, id);
    this.#listing.drop(id);
  }
}
