/** The providers and whether their keys are set. A key passes through to the server and is not kept here. */
import { type Client, type Problem, problemOf, type Provider } from "../../api";

const GATEWAY = "gateway";

export class Providers {
  list = $state.raw<readonly Provider[] | null>(null);
  /** Those that find papers and pages. */
  searchServices = $state.raw<readonly Provider[]>([]);
  problem = $state.raw<Problem | null>(null);
  readonly withKey = $derived(this.list?.filter((provider) => provider.keyName !== null) ?? []);
  readonly withoutKey = $derived(this.list?.filter((provider) => provider.keyName === null && provider.id !== GATEWAY) ?? []);
  /** The gateway that one is signed in to. */
  readonly gateway = $derived(this.list?.find((provider) => provider.id === GATEWAY) ?? null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    try {
      const { items, searchServices } = await this.#client.providers();
      this.list = items;
      this.searchServices = searchServices;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** Whether a question to this provider stays on this computer. The built-in model has no provider to list. */
  staysHere(id: string): boolean {
    const provider = this.list?.find((one) => one.id === id);
    return provider === undefined || provider.url === "" || isLoopback(new URL(provider.url).hostname);
  }

  async saveKey(name: string, value: string): Promise<void> {
    await this.#client.saveKey(name, value);
    await this.load();
  }

  /** Asks who takes this key whether it is right; what they said against it, or null when all take it. */
  async testKey(name: string): Promise<string | null> {
    const said = (await this.#client.testKey(name)).items.filter((one) => !one.ok);
    return said.length === 0 ? null : said.map((one) => `${one.providerName}: ${one.detail}`).join(" ");
  }

  async leaveGateway(): Promise<void> {
    await this.#client.leaveGateway();
    await this.load();
  }

  async removeKey(name: string): Promise<void> {
    await this.#client.removeKey(name);
    await this.load();
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

const SOURCE_WORDS = { "environment": "Set in the environment", "keys.env": "Set in keys.env" } as const;

export function keyStateText(provider: Provider): string {
  return provider.keySource === null ? "Not set" : SOURCE_WORDS[provider.keySource];
}
