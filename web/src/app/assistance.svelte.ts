/** Everything about who answers, with which servers' tools, and what it costs, read again when the server says that it changed. */
import type { Client } from "../api";
import { Budget } from "../usage/state/budget.svelte";
import { Calibration } from "../usage/state/calibration.svelte";
import { ModelsCheck } from "../models/state/model-check.svelte";
import { LocalModels } from "../models/state/local-models.svelte";
import { McpServers } from "../mcp/state/mcp-servers.svelte";
import { Models } from "../models/state/models.svelte";
import { OwnServers } from "../models/state/own-servers.svelte";
import { Providers } from "../models/state/providers.svelte";
import { Throttle } from "../core/throttle";
import { Usage } from "../usage/state/usage.svelte";
import type { Background } from "../core/background";

/** Changes that come close together are read once. */
export const RELOAD_MS = 250;

export class Assistance {
  readonly models: Models;
  readonly check: ModelsCheck;
  readonly providers: Providers;
  readonly servers: OwnServers;
  readonly local: LocalModels;
  readonly mcp: McpServers;
  readonly budget: Budget;
  readonly usage: Usage;
  readonly calibration: Calibration;
  readonly #modelsSoon: Throttle;
  readonly #spendSoon: Throttle;
  readonly #mcpSoon: Throttle;

  constructor(client: Client, background: Background) {
    this.models = new Models(client);
    this.check = new ModelsCheck(client);
    this.providers = new Providers(client);
    this.servers = new OwnServers(client);
    this.local = new LocalModels(client, background);
    this.mcp = new McpServers(client.mcp);
    this.budget = new Budget(client);
    this.usage = new Usage(client);
    this.calibration = new Calibration(client);
    this.#modelsSoon = new Throttle(RELOAD_MS, () => {
      background(this.models.load());
      background(this.providers.load());
    });
    this.#spendSoon = new Throttle(RELOAD_MS, () => {
      background(this.budget.load());
      background(this.usage.reload());
    });
    this.#mcpSoon = new Throttle(RELOAD_MS, () => { background(this.mcp.reload()); });
  }

  /** Reads what the page shows; also after a gap in which changes may have been missed. */
  load(): void {
    this.#modelsSoon.now();
    this.#spendSoon.now();
    this.#mcpSoon.now();
  }

  onChange(subject: string): void {
    if (subject === "models") this.#modelsSoon.ask();
    if (subject === "mcp") this.#mcpSoon.ask();
    if (subject === "budget" || subject === "usage") this.#spendSoon.ask();
  }
}
