import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../api";
import { model } from "../../fakes/fake-models";
import { FakeServer } from "../../fakes/fake-server";
import { ModelsCheck } from "./model-check.svelte";
import { groupByProvider, lifeText, Models, priceText } from "./models.svelte";
import { keyStateText, Providers } from "./providers.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function made() {
  const server = new FakeServer();
  return { server, client: new Client({ fetch: server.fetch }) };
}

test("models are grouped by provider, those with a successor apart", () => {
  const groups = groupByProvider([model("a/new", { missingKey: "KEY" }), model("a/old", { missingKey: "KEY", successor: "new" }), model("b/one")]);
  expect(groups.map((group) => [group.provider, group.missingKey, group.newest.map(({ id }) => id), group.older.map(({ id }) => id)])).toEqual([
    ["a", "KEY", ["a/new"], ["a/old"]],
    ["b", null, ["b/one"], []],
  ]);
});

test("an unknown price is unknown, a price of nothing is free", () => {
  expect([model("a/b"), model("a/b", { price: null }), model("a/b", { isFree: true })].map(priceText)).toEqual(["$3 in, $15 out", "price unknown", "free"]);
});

test("the end of a model is told with its successor", () => {
  const ending = model("a/b", { retires: "2026-11-30", successor: "c" });
  expect(lifeText(ending, "C", "2026-11-15")).toBe("Retires on 30 November 2026. Its successor is C.");
  expect(lifeText(ending, "C", "2026-11-30")).toBe("Retired on 30 November 2026. Its successor is C.");
  expect(lifeText(model("a/b", { successor: "c" }), "C", "2026-11-15")).toBe("Its successor is C.");
  expect(lifeText(model("a/b"), null, "2026-11-15")).toBe("");
});

test("a model is chosen, and the choice can be given back", async () => {
  const { client } = made();
  const models = new Models(client);
  await models.load();
  await models.choose("google/flash");
  expect([models.picked, models.current?.name]).toEqual(["google/flash", "Flash"]);
  await models.choose(null);
  expect([models.picked, models.current?.name]).toEqual([null, "Built-in model"]);
});

test("a list that was asked for before a choice, or during it, does not take the choice back", async () => {
  const { server } = made();
  const [list, choosing] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const holds = [undefined, list.promise, choosing.promise];
  let asked = 0;
  const fetch: typeof server.fetch = async (...request) => {
    const answer = await server.fetch(...request);
    await holds[asked++];
    return answer;
  };
  const models = new Models(new Client({ fetch }));
  await models.load();
  const before = models.load();
  await vi.waitFor(() => { expect(asked).toBe(2); });
  const choice = models.choose("google/flash");
  list.resolve(undefined);
  await before;
  expect(models.picked).toBe("google/flash");
  const during = models.load();
  choosing.resolve(undefined);
  await Promise.all([choice, during]);
  expect([models.picked, models.current?.name]).toEqual(["google/flash", "Flash"]);
});

test("a refused choice falls back to the one before and says why", async () => {
  const { client } = made();
  const models = new Models(client);
  await models.load();
  await models.choose("google/flash");
  await models.choose("nobody/nothing");
  expect([models.picked, models.problem?.detail]).toEqual(["google/flash", "There is no such model."]);
});

test("a check that takes long says how long", async () => {
  const { server, client } = made();
  const gate = Promise.withResolvers<undefined>();
  server.ai.checking = gate.promise;
  const check = new ModelsCheck(client);
  const running = check.start();
  await vi.advanceTimersByTimeAsync(1900);
  expect([check.running, check.isSlow]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(1200);
  expect([check.isSlow, check.seconds]).toEqual([true, 3]);
  gate.resolve(undefined);
  await running;
  expect([check.running, check.isSlow, [...check.gone]]).toEqual([false, false, ["anthropic/sonnet-4"]]);
});

test("a check can be stopped, and what was known before stays", async () => {
  const aborting: typeof fetch = (_input, init) => new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => { reject(new DOMException("stopped", "AbortError")); });
  });
  const check = new ModelsCheck(new Client({ fetch: aborting }));
  const running = check.start();
  check.stop();
  await running;
  expect([check.running, check.problem, check.results]).toEqual([false, null, null]);
});

test("a key goes to the server and stays nowhere in the page", async () => {
  const { server, client } = made();
  const providers = new Providers(client);
  await providers.load();
  await providers.saveKey("ANTHROPIC_API_KEY", "sk-secret");
  expect(server.ai.keys.get("ANTHROPIC_API_KEY")).toBe("sk-secret");
  expect(JSON.stringify(providers.list)).not.toContain("sk-secret");
  expect(providers.list?.map(keyStateText)).toEqual(["Set in keys.env", "Set in the environment", "Not set"]);
});

test("a key of the environment is not removed here", async () => {
  const { client } = made();
  await expect(new Providers(client).removeKey("GOOGLE_API_KEY")).rejects.toMatchObject({ status: 409 });
});

test("only a model of this computer is said to stay on it", async () => {
  const { server, client } = made();
  const at = (id: string, url: string) => ({ id, name: id, keyName: null, keySource: null, url, isLocal: true });
  server.ai.providers = [at("ollama", "http://127.0.0.1:11434"), at("lab", "http://lab-server:8000"), at("fake", "https://127.0.0.1.example.com"), at("six", "http://[::1]:8080/v1")];
  const providers = new Providers(client);
  await providers.load();
  expect(["ollama", "lab", "fake", "six", "builtin"].map((id) => providers.staysHere(id))).toEqual([true, false, false, true, true]);
});
