import { expect, test } from "vitest";
import { Client } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { proposal } from "../../fakes/fake-proposals";
import { Proposals } from "./proposals.svelte";

async function started(prepare: (server: FakeServer) => void = () => undefined) {
  const server = new FakeServer();
  server.proposals.items = [proposal("x1")];
  prepare(server);
  const stored: string[] = [];
  let work: Promise<unknown> = Promise.resolve();
  const proposals = new Proposals({
    client: new Client({ fetch: server.fetch }).proposals,
    background: (asked) => { work = Promise.all([work, asked]); },
    stored: (path) => { stored.push(path); return Promise.resolve(); },
  });
  proposals.want("c1");
  await work;
  return { server, proposals, stored, found: () => proposals.find("c1", "t1", "k") };
}

test("what a call proposed is found, and read once however often it is wanted", async () => {
  const { server, proposals, found } = await started();
  proposals.want("c1");
  expect([found()?.id, proposals.find("c1", "t2", "k"), server.asked]).toEqual(["x1", null, ["GET /proposals?chatId=c1"]]);
});

test("an edit is applied after the server has what was typed", async () => {
  const { proposals, stored, found } = await started();
  expect(await proposals.apply(proposal("x1"), 0)).toBe("done");
  expect([stored, found()?.status]).toEqual([["README.md"], "applied"]);
});

test("an edit whose text has changed stays open and says so", async () => {
  const { proposals, found } = await started((server) => { server.proposals.isStale = true; });
  expect([await proposals.apply(proposal("x1"), 0), found()?.status]).toEqual(["changed", "open"]);
});

test("what another page has decided meanwhile is taken over, not told as a change of the text", async () => {
  const { server, proposals, found } = await started((fake) => { fake.proposals.isStale = true; });
  server.proposals.items = [proposal("x1", { status: "dismissed" })];
  expect([await proposals.apply(proposal("x1"), 0), found()?.status]).toEqual(["done", "dismissed"]);
});
