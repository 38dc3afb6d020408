/** The part of the server in memory that knows the user's own servers and the model files of this computer. */
import type { AnsweringServer, FetchableModel, OwnModelFile, OwnServer, ServerToSave } from "../api";
import { type Asked, type FakeModels, model } from "./fake-models";

export class FakeOwnServers {
  servers: OwnServer[] = [];
  running: AnsweringServer[] = [];
  /** What answers at which address. */
  readonly answering = new Map<string, AnsweringServer>();
  /** The keys that these addresses want. */
  readonly wanted = new Map<string, string>();
  local: FetchableModel[] = [fetchable("qwen2.5-0.5b", "Qwen2.5 0.5B")];
  own: OwnModelFile[] = [];
  readonly #models: FakeModels;

  constructor(models: FakeModels) {
    this.#models = models;
  }

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, body }: Asked): Response | null {
    const [, root, id = "", part = ""] = path.split("/").map(decodeURIComponent);
    if (root === "servers") return this.#server(method, id, body);
    if (root === "gateway") return this.#leaveGateway();
    return root === "local-models" ? this.#local(method, id, part, body) : null;
  }

  #leaveGateway(): Response {
    this.#models.providers = this.#models.providers.filter((one) => one.id !== "gateway");
    return new Response(null, { status: 204 });
  }

  #server(method: string, id: string, body: unknown): Response {
    if (id === "") return Response.json({ items: this.servers });
    if (id === "running") return Response.json({ items: this.running.filter((one) => !this.servers.some(({ url }) => url === one.url)) });
    if (id === "look") return this.#look(body as { url: string; key: string | null });
    this.servers = this.servers.filter((one) => one.id !== id);
    this.#models.models = { ...this.#models.models, items: this.#models.models.items.filter((one) => one.provider !== id) };
    if (method === "DELETE") return new Response(null, { status: 204 });
    const { name, url, keyName, models } = body as ServerToSave;
    const saved: OwnServer = { id, name, url, protocol: "openai-chat", keyName, keySource: keyName === null ? null : "keys.env", models };
    this.servers = [...this.servers, saved];
    const items = models.map((one) => model(`${id}/${one.model}`, { name: one.model, provider: id, providerName: name, isFree: true }));
    this.#models.models = { ...this.#models.models, current: items[0]?.id ?? this.#models.models.current, items: [...this.#models.models.items, ...items] };
    this.#models.providers = [...this.#models.providers, { id, name, keyName, keySource: saved.keySource, url, isLocal: true }];
    return Response.json(saved);
  }

  #look({ url, key }: { url: string; key: string | null }): Response {
    const found = this.answering.get(url);
    if (!found) return refusal(422, "Nothing answers at 127.0.0.1. Check that it runs.");
    const wanted = this.wanted.get(url);
    return wanted !== undefined && wanted !== key ? refusal(422, "Incorrect API key provided.") : Response.json(found);
  }

  #local(method: string, id: string, part: string, body: unknown): Response {
    if (id === "" && method === "POST") {
      const { path } = body as { path: string };
      if (!path.endsWith(".gguf")) return refusal(422, `${path} is not a GGUF model, or is damaged.`);
      this.own = [{ id: "mine", modelId: "builtin/mine", name: "mine", path }];
      return Response.json(this.own[0], { status: 201 });
    }
    if (part === "fetch") this.#set(id, method === "POST" ? { state: "fetching", doneBytes: 100e6 } : { state: "paused" });
    else if (method === "DELETE") {
      this.own = this.own.filter((one) => one.id !== id);
      this.#set(id, { state: "absent", doneBytes: 0 });
      return new Response(null, { status: 204 });
    }
    return Response.json({ items: this.local, own: this.own, freeBytes: 50e9 });
  }

  #set(id: string, change: Partial<FetchableModel>): void {
    this.local = this.local.map((one) => (one.id === id ? { ...one, ...change } : one));
  }
}

export function fetchable(id: string, name: string): FetchableModel {
  return { id, modelId: `builtin/${id}`, name, about: "Small.", bytes: 491_400_032, memoryBytes: 1e9, licence: "Apache-2.0", page: null, sha256: "0".repeat(64), state: "absent", doneBytes: 0, problem: "" };
}

/** Ollama as it is found on this computer. */
export function ollama(...models: string[]): AnsweringServer {
  return { id: "ollama", name: "Ollama", url: "http://127.0.0.1:11434", models: models.map((one) => ({ model: one, window: null, isChat: !one.includes("embed") })) };
}

function refusal(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail }, { status });
}
