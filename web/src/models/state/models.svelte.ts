/** The models that can be chosen, grouped by provider, and the one that answers now. */
import { type Client, type Model, type ModelList, type Problem, problemOf, type ThinkingLevel } from "../../api";
import { dateText } from "../../core/dates";
import { rate } from "../../core/amounts";

export interface ModelGroup {
  provider: string;
  name: string;
  /** The key that all of them wait for. */
  missingKey: string | null;
  newest: Model[];
  /** Those that have a successor. */
  older: Model[];
}

export class Models {
  list = $state.raw<ModelList | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** The choice as the person made it, while the server has not answered yet. */
  picked = $state<string | null>(null);
  readonly groups = $derived(groupByProvider(this.list?.items ?? []));
  /** What a chat would use now. */
  readonly current = $derived(this.find(this.list?.current ?? null));
  readonly chosen = $derived(this.find(this.list?.default ?? null));
  readonly #client: Client;
  #projectId: string | null = null;
  #asked = 0;
  /** The last change, until the server has answered. */
  #change: Promise<void> | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** After a change that is under way: read meanwhile, the list could have the choice of before. */
  async load(): Promise<void> {
    if (this.#change !== null) await this.#change;
    await this.#take(this.#client.models(this.#projectId));
  }

  /** Shows the models as the folder of a project chooses and names them. */
  async show(projectId: string): Promise<void> {
    this.#projectId = projectId;
    await this.load();
  }

  /** Takes a model for new chats; null leaves the choice to Recto. */
  async choose(id: string | null): Promise<void> {
    this.picked = id;
    await this.#changed(this.#client.chooseModel(id, this.#projectId));
  }

  /** Says how hard a model thinks; null is as it does by itself. */
  async chooseThinking(id: string, thinking: ThinkingLevel | null): Promise<void> {
    await this.#changed(this.#client.chooseThinking(id, thinking, this.#projectId));
  }

  find(id: string | null): Model | null {
    return this.list?.items.find((model) => model.id === id) ?? null;
  }

  /** What a chosen model is called, also one that is not in the list any more; null is the default. */
  nameOfChosen(id: string | null): string {
    return id === null ? (this.current?.name ?? "No model") : (this.find(id)?.name ?? id);
  }

  /** The name of a successor, which the catalogue tells by the provider's own word for it. */
  nameOf(provider: string, model: string): string {
    const found = this.list?.items.find((item) => item.id === model || (item.provider === provider && item.model === model));
    return found?.name ?? model;
  }

  async #changed(answer: Promise<ModelList>): Promise<void> {
    const change = this.#take(answer);
    this.#change = change;
    await change;
    if (this.#change === change) this.#change = null;
  }

  async #take(answer: Promise<ModelList>): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const list = await answer;
      // What was asked for since, perhaps for another folder, is newer.
      if (mine !== this.#asked) return;
      this.list = list;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
      if (mine !== this.#asked) return;
    }
    this.picked = this.list?.default ?? null;
  }
}

export function groupByProvider(models: readonly Model[]): ModelGroup[] {
  return [...Map.groupBy(models, (model) => model.provider)].map(([provider, items]) => ({
    provider,
    name: items[0]?.providerName ?? provider,
    missingKey: items[0]?.missingKey ?? null,
    newest: items.filter((model) => model.successor === null),
    older: items.filter((model) => model.successor !== null),
  }));
}

/** What a million tokens cost, in words. */
export function priceText(model: Model): string {
  if (model.isFree) return "free";
  if (!model.price) return "price unknown";
  return `${rate(model.price.input)} in, ${rate(model.price.output)} out`;
}

const LEVELS: Record<ThinkingLevel, string> = { none: "Off", minimal: "Minimal", low: "Low", medium: "Medium", high: "High", xhigh: "Very high", max: "Maximum" };

/** A level of thinking in words; null is what the model does by itself. */
export function levelText(level: ThinkingLevel | null, usual: ThinkingLevel | null): string {
  if (level !== null) return LEVELS[level];
  return usual === null ? "As usual" : `As usual (${LEVELS[usual].toLowerCase()})`;
}

/** How long a model lives and what follows it; empty while nothing is known to change. */
export function lifeText(model: Model, successorName: string | null, today: string): string {
  const next = successorName === null ? "" : `Its successor is ${successorName}.`;
  if (model.retires === null) return next;
  const verb = model.retires <= today ? "Retired" : "Retires";
  return `${verb} on ${dateText(model.retires)}. ${next}`.trim();
}
