/** The model that was chosen last in a project's chats: new ones begin with it. */
import type { Models } from "./models.svelte";
import { isText, recall, remember } from "../../core/browser-storage";

interface Chosen {
  id: string;
  /** The default at that time. One that was set in the settings since is the newer choice. */
  over: string | null;
}

export class LastModel {
  #chosen = $state.raw<Chosen | null>(null);
  readonly #key: string;
  readonly #models: Pick<Models, "list" | "find">;

  constructor(projectId: string, models: Pick<Models, "list" | "find">) {
    this.#key = `model.${projectId}`;
    this.#models = models;
    this.#chosen = recall(this.#key, isChosen, "tab-first");
  }

  /** The model that a new chat asks; null leaves it to the default, also when the last one can't be asked any more. */
  get id(): string | null {
    const { list } = this.#models;
    if (this.#chosen === null || list === null) return this.#chosen?.id ?? null;
    const model = this.#models.find(this.#chosen.id);
    return model?.missingKey === null && list.default === this.#chosen.over ? model.id : null;
  }

  /** Somebody has chosen a model for a chat; null is the default. */
  choose(id: string | null): void {
    this.#chosen = id === null ? null : { id, over: this.#models.list?.default ?? null };
    remember(this.#key, this.#chosen, "tab-first");
  }
}

function isChosen(value: unknown): value is Chosen {
  return typeof value === "object" && value !== null && "id" in value && isText(value.id) && "over" in value && (value.over === null || isText(value.over));
}
