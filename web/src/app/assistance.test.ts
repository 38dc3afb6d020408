import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../api";
import { FakeServer } from "../fakes/fake-server";
import { Assistance, RELOAD_MS } from "./assistance.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

async function loaded() {
  const server = new FakeServer();
  const work: Promise<unknown>[] = [];
  const assistance = new Assistance(new Client({ fetch: server.fetch }), (one) => { work.push(one); });
  const settle = async () => {
    await vi.advanceTimersByTimeAsync(RELOAD_MS);
    await Promise.all(work);
  };
  assistance.load();
  await settle();
  server.asked.length = 0;
  return { server, assistance, settle };
}

test("models, providers and the budget are read at the start, the usage only when it is looked at", async () => {
  const { assistance } = await loaded();
  expect([assistance.models.current?.name, assistance.budget.state?.monthlyLimitUsd, assistance.providers.list?.length, assistance.usage.report]).toEqual(["Built-in model", "20", 3, null]);
});

test("many changes close together are read once", async () => {
  const { server, assistance, settle } = await loaded();
  for (let count = 0; count < 20; count += 1) assistance.onChange("usage");
  assistance.onChange("budget");
  await settle();
  expect(server.asked).toEqual(["GET /budget"]);
});

test("a dense stream of changes does not keep the page waiting for its end", async () => {
  const { server, assistance, settle } = await loaded();
  for (let count = 0; count < 20; count += 1) {
    assistance.onChange("usage");
    await vi.advanceTimersByTimeAsync(RELOAD_MS / 5);
  }
  await settle();
  expect(server.asked.length).toBeGreaterThanOrEqual(3);
});

test("a finished request is read into the usage while somebody looks at it", async () => {
  const { server, assistance, settle } = await loaded();
  assistance.usage.shown = true;
  assistance.onChange("usage");
  await settle();
  expect(server.asked).toEqual(["GET /budget", "GET /usage"]);
});

test("a change of the models reads models and keys, and nothing about money", async () => {
  const { server, assistance, settle } = await loaded();
  assistance.onChange("models");
  assistance.onChange("chat");
  await settle();
  expect(server.asked).toEqual(["GET /models", "GET /providers"]);
});
