import { expect, test } from "vitest";
import { Client } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { LastModel } from "./last-model.svelte";
import { Models } from "./models.svelte";

async function setUp() {
  const server = new FakeServer();
  const models = new Models(new Client({ fetch: server.fetch }));
  await models.load();
  return { server, models };
}

test("new chats begin with the model chosen last, each project and each tab with its own", async () => {
  const { models } = await setUp();
  expect(new LastModel("p1", models).id).toBeNull();
  new LastModel("p1", models).choose("google/flash");
  expect([new LastModel("p1", models).id, new LastModel("p2", models).id]).toEqual(["google/flash", null]);
  // Another tab has chosen since.
  localStorage.setItem("recto.model.p1", JSON.stringify({ id: "builtin/small", over: null }));
  expect(new LastModel("p1", models).id).toBe("google/flash");
  new LastModel("p1", models).choose(null);
  expect(new LastModel("p1", models).id).toBeNull();
});

test("a default that was set since is the newer choice", async () => {
  const { models } = await setUp();
  const last = new LastModel("p1", models);
  last.choose("google/flash");
  await models.choose("builtin/small");
  expect(last.id).toBeNull();
});

test("a model that can't be asked any more gives way to the default", async () => {
  const { server, models } = await setUp();
  const last = new LastModel("p1", models);
  last.choose("google/flash");
  server.ai.models = { ...server.ai.models, items: server.ai.models.items.filter(({ id }) => id !== "google/flash") };
  await models.load();
  expect(last.id).toBeNull();
  last.choose("anthropic/sonnet-5");
  expect(last.id, "its key is missing").toBeNull();
});
