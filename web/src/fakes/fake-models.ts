/** The part of the server in memory that knows models, keys, the budget and what was used. */
import type { BudgetState, Calibration, Model, ModelList, Provider, UsageReport, UsageRow } from "../api";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

export class FakeModels {
  models: ModelList = {
    default: null,
    current: "builtin/small",
    folderDefault: null,
    folderProblem: null,
    items: [
      model("anthropic/sonnet-5", { name: "Sonnet 5", providerName: "Anthropic", missingKey: "ANTHROPIC_API_KEY" }),
      model("anthropic/sonnet-4", { name: "Sonnet 4", providerName: "Anthropic", missingKey: "ANTHROPIC_API_KEY", retires: "2026-06-15", successor: "sonnet-5" }),
      model("google/flash", { name: "Flash", providerName: "Google", price: null, thinkingLevels: ["low", "medium", "high"], usualThinking: "high" }),
      model("builtin/small", { name: "Built-in model", providerName: "Built-in", window: 8192, isFree: true, hasTools: false, transforms: [] }),
    ],
  };
  searchServices: Provider[] = [{ id: "exa_api_key", name: "Exa", keyName: "EXA_API_KEY", keySource: null, url: "https://exa.ai", isLocal: false }];
  providers: Provider[] = [
    { id: "anthropic", name: "Anthropic", keyName: "ANTHROPIC_API_KEY", keySource: null, url: "https://api.anthropic.com", isLocal: false },
    { id: "google", name: "Google", keyName: "GOOGLE_API_KEY", keySource: "environment", url: "https://google.test", isLocal: false },
    { id: "builtin", name: "Built-in", keyName: null, keySource: null, url: "", isLocal: true },
  ];
  budget: BudgetState = { month: "2026-11", monthlyLimitUsd: "20", warnAt: 0.8, spentMicros: 0, heldMicros: 0, unpricedRequests: 0, isWarning: false, isStopped: false };
  usage: UsageReport = emptyReport("2026-11");
  calibration: Calibration = { sources: [], count: 0 };
  /** What the server keeps and never tells. */
  readonly keys = new Map<string, string>();
  /** While set, a check waits for it. */
  checking: Promise<void> | null = null;

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, query, body }: Asked): Response | Promise<Response> | null {
    if (path.startsWith("/keys/")) return this.#key(method, path.slice("/keys/".length), body);
    switch (path) {
      case "/models":
        return Response.json(this.models);
      case "/models/default":
        return this.#choose(field(body, "id"));
      case "/models/thinking":
        return this.#think(field(body, "id"), field(body, "thinking"));
      case "/models/check":
        return this.#check();
      case "/providers":
        return Response.json({ items: this.providers, searchServices: this.searchServices });
      case "/budget":
        if (method === "PUT") this.budget = { ...this.budget, monthlyLimitUsd: textOrNull(field(body, "monthlyLimitUsd")), warnAt: Number(field(body, "warnAt")) };
        return Response.json(this.budget);
      case "/usage":
        return this.#usage(query.get("month") ?? this.usage.month);
      case "/calibration":
        return Response.json(this.calibration);
      default:
        return null;
    }
  }

  #usage(month: string): Response {
    return Response.json(month === this.usage.month ? this.usage : { ...emptyReport(month), months: this.usage.months });
  }

  #choose(id: unknown): Response {
    if (id !== null && !this.models.items.some((item) => item.id === id)) return refusal(422, "There is no such model.");
    this.models = { ...this.models, default: textOrNull(id), current: textOrNull(id) ?? "builtin/small" };
    return Response.json(this.models);
  }

  #think(id: unknown, thinking: unknown): Response {
    const level = (item: Model) => item.thinkingLevels.find((one) => one === thinking) ?? null;
    this.models = { ...this.models, items: this.models.items.map((item) => (item.id === id ? { ...item, thinking: level(item) } : item)) };
    return Response.json(this.models);
  }

  async #check(): Promise<Response> {
    await this.checking;
    return Response.json({
      items: [
        { provider: "anthropic", providerName: "Anthropic", ok: true, detail: "2 models", gone: [{ id: "anthropic/sonnet-4", successor: "sonnet-5" }] },
        { provider: "google", providerName: "Google", ok: false, detail: "Google refused the key.", gone: [] },
      ],
    });
  }

  #testKey(name: string): Response {
    const ok = this.keys.get(name) !== "wrong";
    const provider = this.providers.find((one) => one.keyName === name);
    return Response.json({ items: [{ provider: provider?.id, providerName: provider?.name, ok, detail: ok ? "The key works." : "invalid x-api-key", gone: [] }] });
  }

  #key(method: string, name: string, body: unknown): Response {
    if (name.endsWith("/test")) return this.#testKey(name.slice(0, -"/test".length));
    const provider = this.providers.find((one) => one.keyName === name);
    if (provider?.keySource === "environment") return refusal(409, `${name} comes from the environment.`);
    if (method === "PUT") this.keys.set(name, String(field(body, "value")));
    else if (!this.keys.delete(name)) return refusal(404, `${name} is not set.`);
    const missing = this.keys.has(name) ? null : name;
    this.providers = this.providers.map((one) => (one.keyName === name ? { ...one, keySource: missing === null ? "keys.env" : null } : one));
    this.models = { ...this.models, items: this.models.items.map((item) => (item.provider === provider?.id ? { ...item, missingKey: missing } : item)) };
    return new Response(null, { status: 204 });
  }
}

export function model(id: string, given: Partial<Model> = {}): Model {
  const [provider = "", name = ""] = id.split("/");
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  return { id, name, provider, providerName: provider, model: name, missingKey: null, window: 200_000, maxOutput: 8192, price, isFree: false, note: "", retires: null, successor: null, thinkingLevels: [], thinking: null, usualThinking: null, hasTools: true, transforms: null, ...given };
}

export function usageRow(id: string, costMicros: number, given: Partial<UsageRow> = {}): UsageRow {
  return { id, name: id, requests: 1, inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 0, costMicros, unpriced: 0, ...given };
}

export function emptyReport(month: string): UsageReport {
  return { month, months: [], days: [], models: [], features: [], projects: [], chats: [], totals: usageRow("total", 0, { requests: 0, inputTokens: 0, outputTokens: 0 }), cacheSavedMicros: 0 };
}

/** A month in which two models were used on two days. */
export function sampleReport(): UsageReport {
  return {
    ...emptyReport("2026-11"),
    months: ["2026-11", "2026-09"],
    days: [
      { date: "2026-11-02", costMicros: 500_000, unpriced: 0, requests: 2, models: [{ model: "anthropic/sonnet-5", costMicros: 300_000 }, { model: "google/flash", costMicros: 200_000 }] },
      { date: "2026-11-04", costMicros: 1_100_000, unpriced: 3, requests: 5, models: [{ model: "anthropic/sonnet-5", costMicros: 1_100_000 }] },
    ],
    models: [usageRow("anthropic/sonnet-5", 1_400_000, { name: "Sonnet 5", requests: 3 }), usageRow("google/flash", 200_000, { name: "Flash" }), usageRow("lab/qwen3", 0, { requests: 3, unpriced: 3 })],
    features: [usageRow("chat", 1_600_000, { requests: 7, unpriced: 3 })],
    projects: [usageRow("p1", 1_600_000, { name: "tide-gauges", requests: 7 })],
    chats: [usageRow("c1", 1_600_000, { name: "Which constituents?", requests: 7, cacheReadTokens: 300 })],
    totals: usageRow("total", 1_600_000, { requests: 7, unpriced: 3 }),
    cacheSavedMicros: 400_000,
  };
}

function field(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? (new Map(Object.entries(body)).get(name) ?? null) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function refusal(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail }, { status });
}
