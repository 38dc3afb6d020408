/** The models that can be chosen, grouped by provider, and the one that answers now. */
import { type Client, type Model, type ModelList, type Problem, problemOf } from "../api";
import { dateText } from "./months";
import { rate } from "./money";

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

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    await this.#take(this.#client.models());
  }

  /** Takes a model for new chats; null leaves the choice to Recto. */
  async choose(id: string | null): Promise<void> {
    this.picked = id;
    await this.#take(this.#client.chooseModel(id));
  }

  find(id: string | null): Model | null {
    return this.list?.items.find((model) => model.id === id) ?? null;
  }

  /** The name of a successor, which the catalogue tells by the provider's own word for it. */
  nameOf(provider: string, model: string): string {
    const found = this.list?.items.find((item) => item.id === model || (item.provider === provider && item.model === model));
    return found?.name ?? model;
  }

  async #take(answer: Promise<ModelList>): Promise<void> {
    try {
      this.list = await answer;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
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

/** How long a model lives and what follows it; empty while nothing is known to change. */
export function lifeText(model: Model, successorName: string | null, today: string): string {
  const next = successorName === null ? "" : `Its successor is ${successorName}.`;
  if (model.retires === null) return next;
  const verb = model.retires <= today ? "Retired" : "Retires";
  return `${verb} on ${dateText(model.retires)}. ${next}`.trim();
}
