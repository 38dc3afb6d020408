/** The user's own model servers: those that are used, those that run here and could be, and the form for one. */
import { type AnsweringModel, type AnsweringServer, type Client, type OwnServer, type Problem, problemOf, type ServerToSave } from "../../api";
import { Submission } from "../../core/submission.svelte";

export class OwnServers {
  list = $state.raw<readonly OwnServer[] | null>(null);
  /** What runs on this computer and is not used yet. */
  running = $state.raw<readonly AnsweringServer[]>([]);
  problem = $state.raw<Problem | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    try {
      this.list = (await this.#client.servers.list()).items;
      this.running = (await this.#client.servers.running()).items;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** Takes a server that was found, with all of its models that answer. */
  async use(found: AnsweringServer): Promise<void> {
    await this.#client.servers.save(this.#freeId(found.id), { name: found.name, url: found.url, keyName: null, models: answering(found.models) });
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await this.#client.servers.remove(id);
    await this.load();
  }

  draft(server: OwnServer | null): ServerDraft {
    return new ServerDraft(this.#client, server, (name) => this.#freeId(idOf(name)));
  }

  /** An id that no other server has. */
  #freeId(wanted: string): string {
    const taken = new Set(this.list?.map((one) => one.id) ?? []);
    if (!taken.has(wanted)) return wanted;
    let number = 2;
    while (taken.has(`${wanted}-${String(number)}`)) number += 1;
    return `${wanted}-${String(number)}`;
  }
}

/** A server that is being written: its address is looked at, its models are ticked. */
export class ServerDraft {
  url = $state("");
  name = $state("");
  key = $state("");
  models = $state.raw<readonly AnsweringModel[] | null>(null);
  ticked = $state.raw<ReadonlySet<string>>(new Set());
  readonly attempt = new Submission();
  readonly #client: Client;
  readonly #before: OwnServer | null;
  readonly #idFor: (name: string) => string;
  /** The kind of server that answered, which is its id. */
  #kind = "";

  constructor(client: Client, server: OwnServer | null, idFor: (name: string) => string) {
    this.#client = client;
    this.#before = server;
    this.#idFor = idFor;
    if (!server) return;
    this.url = server.url;
    this.name = server.name;
    this.models = server.models.map(({ model, window }) => ({ model, window: window ?? null, isChat: true }));
    this.ticked = new Set(server.models.map(({ model }) => model));
  }

  get isNew(): boolean {
    return this.#before === null;
  }

  /** Asks the address for its models. Those that were ticked stay so. */
  async look(): Promise<void> {
    const found = await this.attempt.run(() => this.#client.servers.look(addressOf(this.url), this.key.trim(), this.#before?.keyName ?? null));
    if (!found) return;
    const isFirst = this.models === null;
    this.url = found.url;
    this.#kind = found.id;
    if (this.name === "") this.name = found.name === "server" ? new URL(found.url).host : found.name;
    this.models = found.models;
    if (isFirst && found.models.length <= 8) this.ticked = new Set(answering(found.models).map(({ model }) => model));
  }

  tick(model: string, on: boolean): void {
    const next = new Set(this.ticked);
    if (on) next.add(model);
    else next.delete(model);
    this.ticked = next;
  }

  /** Keeps the key, then the server. Tells whether it is kept. */
  async save(): Promise<boolean> {
    const saved = await this.attempt.run(async () => {
      const name = this.name.trim();
      const isKind = this.#kind !== "" && this.#kind !== "server";
      const id = this.#before?.id ?? this.#idFor(isKind ? this.#kind : name);
      const keyName = await this.#keepKey(id);
      return this.#client.servers.save(id, { name, url: addressOf(this.url), keyName, models: this.#offered() });
    });
    return saved !== null;
  }

  /** Keeps the key that was typed; its name, or that of the one there was. */
  async #keepKey(id: string): Promise<string | null> {
    const before = this.#before?.keyName ?? null;
    const key = this.key.trim();
    if (key === "") return before;
    const name = before ?? keyNameOf(id);
    await this.#client.saveKey(name, key);
    this.key = "";
    return name;
  }

  /** The ticked models; those there were keep their names. */
  #offered(): ServerToSave["models"] {
    const names = new Map(this.#before?.models.map((one) => [one.model, one.name ?? ""]));
    const ticked = this.models?.filter(({ model }) => this.ticked.has(model)) ?? [];
    return ticked.map(({ model, window }) => ({ model, name: names.get(model) ?? "", window }));
  }
}

/** The models that answer, as they are kept. */
export function answering(models: readonly AnsweringModel[]): ServerToSave["models"] {
  return models.filter((one) => one.isChat).map(({ model, window }) => ({ model, name: "", window }));
}

/** What was typed as an address: without a scheme, this computer's is meant. */
export function addressOf(typed: string): string {
  const text = typed.trim().replace(/\/+$/, "");
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text === "" ? text : `http://${text}`;
}

/** A server's id, made of its name. */
export function idOf(name: string): string {
  const plain = name.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 50);
  return plain === "" ? "server" : plain;
}

/** What the key of a server is called. */
export function keyNameOf(id: string): string {
  const plain = id.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return `${/^[A-Z]/.test(plain) ? plain : `SERVER_${plain}`}_API_KEY`;
}
