/** The form of a context: its name, colour and files, and how they are saved. */
import type { Context } from "../../api";
import { Submission } from "../../core/submission.svelte";
import type { Contexts } from "./contexts.svelte";

export const NAME_MAX = 200;

export class ContextDraft {
  name = $state("");
  /** Null: the one that belongs to the name. */
  color = $state<string | null>(null);
  files = $state.raw<readonly string[]>([]);
  readonly attempt = new Submission();
  /** As it is stored, as far as this form knows; null is a new one. */
  stored = $state.raw<Context | null>(null);
  readonly #contexts: Contexts;

  constructor(contexts: Contexts, stored: Context | null, ticked: readonly string[]) {
    this.#contexts = contexts;
    if (stored) this.#take(stored);
    else this.files = [...ticked].sort();
  }

  /** Takes over what somebody else saved, as long as nothing was changed here. */
  follow(): void {
    const { stored, name, color, files } = this;
    const now = stored && this.#contexts.find(stored.id);
    const isTouched = name !== stored?.name || color !== stored.color || files !== stored.files;
    if (now && now.version > stored.version && !isTouched) this.#take(now);
  }

  /** What keeps it from being saved; empty when nothing does. */
  get fault(): string {
    if (this.name.trim() === "") return "Give it a name.";
    return this.files.length === 0 ? "Add a file: a context is a group of files." : "";
  }

  add(paths: readonly string[]): void {
    this.files = [...new Set([...this.files, ...paths])];
  }

  remove(path: string): void {
    this.files = this.files.filter((other) => other !== path);
  }

  /** Takes out the files that are not there any more. */
  removeMissing(): void {
    const missing = new Set(this.stored?.missingFiles);
    this.files = this.files.filter((path) => !missing.has(path));
  }

  /** Saves it. When somebody else came first the form stands, and the next try goes over what is there then. */
  async save(): Promise<Context | null> {
    const form = { name: this.name.trim(), color: this.color, files: [...this.files] };
    const { stored } = this;
    const saved = await this.attempt.run(() => (stored ? this.#contexts.save(stored, form) : this.#contexts.create(form)));
    if (stored && this.attempt.overtaken) this.stored = this.#contexts.find(stored.id);
    return saved;
  }

  #take(stored: Context): void {
    this.stored = stored;
    this.name = stored.name;
    this.color = stored.color;
    this.files = stored.files;
  }
}
