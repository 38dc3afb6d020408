/** Everything about who answers and what it costs, read again when the server says that it changed. */
import type { Client } from "../api";
import { Budget } from "./budget.svelte";
import { Calibration } from "./calibration.svelte";
import { ModelsCheck } from "./model-check.svelte";
import { Models } from "./models.svelte";
import { Providers } from "./providers.svelte";
import { Soon } from "./soon";
import { Usage } from "./usage.svelte";
import type { Background } from "./workspace.svelte";

/** Changes that come close together are read once. */
export const RELOAD_MS = 250;

export class Assistance {
  readonly models: Models;
  readonly check: ModelsCheck;
  readonly providers: Providers;
  readonly budget: Budget;
  readonly usage: Usage;
  readonly calibration: Calibration;
  readonly #modelsSoon: Soon;
  readonly #spendSoon: Soon;

  constructor(client: Client, background: Background) {
    this.models = new Models(client);
    this.check = new ModelsCheck(client);
    this.providers = new Providers(client);
    this.budget = new Budget(client);
    this.usage = new Usage(client);
    this.calibration = new Calibration(client);
    this.#modelsSoon = new Soon(RELOAD_MS, () => {
      background(this.models.load());
      background(this.providers.load());
    });
    this.#spendSoon = new Soon(RELOAD_MS, () => {
      background(this.budget.load());
      background(this.usage.reload());
    });
  }

  /** Reads what the page shows; also after a gap in which changes may have been missed. */
  load(): void {
    this.#modelsSoon.now();
    this.#spendSoon.now();
  }

  onChange(subject: string): void {
    if (subject === "models") this.#modelsSoon.ask();
    if (subject === "budget" || subject === "usage") this.#spendSoon.ask();
  }
}
