import { expect, test } from "vitest";
import { FakeServer } from "../fakes/fake-server";
import { Client } from "./client";
import { problemOf, RequestFailed } from "./problem";

test("a path with spaces and signs reaches the server whole", async () => {
  const server = new FakeServer({ "a b/ü&=.md": "text" });
  const file = await new Client({ fetch: server.fetch }).file("p1", "a b/ü&=.md");
  expect(file).toEqual({ path: "a b/ü&=.md", text: "text", size: 4, hash: "text", encoding: "utf-8", lineEnding: "lf", bom: false, indent: null });
});

test("saving a project names the version it was read in", async () => {
  const server = new FakeServer();
  const client = new Client({ fetch: server.fetch });
  const before = await client.project("p1");
  expect((await client.saveProject(before, { name: "tides" })).version).toBe(2);
  await expect(client.saveProject(before, { name: "again" })).rejects.toMatchObject({ status: 412 });
});

test("a problem keeps the server's words", async () => {
  const error: unknown = await new Client({ fetch: new FakeServer().fetch }).addProject("/nope").catch((failure: unknown) => failure);
  expect(problemOf(error)).toMatchObject({ status: 422, detail: '{"path":"/nope"} is not a folder.', remedy: "Check the path." });
});

test("a server that is not there is a problem of status 0", async () => {
  const server = new FakeServer();
  server.reachable = false;
  await expect(new Client({ fetch: server.fetch }).health()).rejects.toMatchObject({ status: 0, message: "Recto does not answer." });
});

test("an ended session is told once for each answer that says so", async () => {
  const server = new FakeServer();
  server.signedIn = false;
  let ended = 0;
  const client = new Client({ fetch: server.fetch, onSessionEnded: () => { ended += 1; } });
  await expect(client.doctor()).rejects.toBeInstanceOf(RequestFailed);
  expect(ended).toBe(1);
});

test("an abort stays an abort", async () => {
  const aborted: typeof fetch = () => Promise.reject(new DOMException("stopped", "AbortError"));
  await expect(new Client({ fetch: aborted }).health()).rejects.toMatchObject({ name: "AbortError" });
});

test("an answer that is no problem body names its status", async () => {
  const broken: typeof fetch = () => Promise.resolve(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await expect(new Client({ fetch: broken }).health()).rejects.toMatchObject({ status: 502, message: "The server answered 502." });
});

test("a bug is not taken for a problem", () => {
  expect(() => problemOf(new RangeError("bug"))).toThrow(RangeError);
});
