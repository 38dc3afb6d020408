import { beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../api";
import { context } from "../../fakes/fake-contexts";
import { FakeServer } from "../../fakes/fake-server";
import { ContextDraft } from "./context-draft.svelte";
import { Contexts, RECOUNT_MS } from "./contexts.svelte";

let server: FakeServer;
let contexts: Contexts;
let work: Promise<unknown>[];

beforeEach(async () => {
  server = new FakeServer();
  work = [];
  server.contexts.items = [context("x1", { name: "Pipeline", files: ["pipeline/harmonics.py"] }), context("x2", { name: "Manuscript", files: ["manuscript/methods.md"] })];
  contexts = new Contexts({ client: new Client({ fetch: server.fetch }).contexts, projectId: "p1", background: (one) => work.push(one) });
  await contexts.load();
});

const reads = () => server.asked.filter((line) => line === "GET /projects/p1/contexts").length;

test("contexts are read at start and sorted by name", () => {
  expect(contexts.sorted.map(({ name }) => name)).toEqual(["Manuscript", "Pipeline"]);
});

test("the list is read again as another model counts, and only then", async () => {
  contexts.countAs("anthropic/claude-sonnet-4-6");
  contexts.countAs("anthropic/claude-sonnet-4-6");
  await Promise.all(work);
  expect(server.asked.filter((line) => line.startsWith("GET /projects/p1/contexts"))).toEqual(["GET /projects/p1/contexts", "GET /projects/p1/contexts?model=anthropic/claude-sonnet-4-6"]);
});

test.each([
  { folders: ["pipeline"], again: true },
  { folders: [""], again: true },
  { folders: ["data"], again: false },
  { folders: ["pipe"], again: false },
])("a change in $folders is looked at only where a context has files there", ({ folders, again }) => {
  vi.useFakeTimers();
  contexts.onFiles(folders, false);
  contexts.onFiles(folders, false);
  vi.advanceTimersByTime(RECOUNT_MS);
  vi.useRealTimers();
  expect(reads()).toBe(again ? 2 : 1);
});

test("saving what somebody else has changed reads it again and fails", async () => {
  const [stale] = contexts.list;
  server.contexts.items = [context("x1", { name: "Theirs", version: 2 })];
  await expect(contexts.save(stale ?? context("x"), { name: "Mine" })).rejects.toMatchObject({ status: 412 });
  expect(contexts.find("x1")?.name).toBe("Theirs");
});

test("a form keeps what was typed when somebody else came first, and then goes over theirs", async () => {
  const draft = new ContextDraft(contexts, contexts.find("x1"), []);
  draft.name = "Mine";
  server.contexts.items = [context("x1", { name: "Theirs", version: 2, files: ["a.md"] })];
  expect(await draft.save()).toBeNull();
  expect([draft.attempt.overtaken, draft.name, draft.stored?.name]).toEqual(["changed", "Mine", "Theirs"]);
  expect((await draft.save())?.name).toBe("Mine");
  expect(server.contexts.items.map(({ name, version }) => [name, version])).toEqual([["Mine", 3]]);
});

test("a form in which nothing was changed follows what somebody else saved", async () => {
  const draft = new ContextDraft(contexts, contexts.find("x1"), []);
  server.contexts.items = [context("x1", { name: "Theirs", version: 2, files: ["a.md"] })];
  await contexts.load();
  draft.follow();
  expect([draft.name, draft.files, draft.stored?.version]).toEqual(["Theirs", ["a.md"], 2]);
  draft.add(["b.md"]);
  server.contexts.items = [context("x1", { name: "Theirs again", version: 3, files: [] })];
  await contexts.load();
  draft.follow();
  expect([draft.name, draft.files, draft.stored?.version]).toEqual(["Theirs", ["a.md", "b.md"], 2]);
});

test("a form whose context was deleted meanwhile makes it anew", async () => {
  const draft = new ContextDraft(contexts, contexts.find("x1"), []);
  server.contexts.items = [];
  expect(await draft.save()).toBeNull();
  expect([draft.attempt.overtaken, draft.stored]).toEqual(["deleted", null]);
  expect((await draft.save())?.name).toBe("Pipeline");
});

test("a new context begins with the ticked files and wants a name and a file", () => {
  const draft = new ContextDraft(contexts, null, ["b.md", "a.md"]);
  expect([draft.files, draft.fault]).toEqual([["a.md", "b.md"], "Give it a name."]);
  draft.name = "Notes";
  expect(draft.fault).toBe("");
  draft.remove("a.md");
  draft.remove("b.md");
  expect(draft.fault).toBe("Add a file: a context is a group of files.");
});

test("what is missing is left out at once", () => {
  const draft = new ContextDraft(contexts, context("x3", { files: ["a.md", "gone.md"], missingFiles: ["gone.md"] }), []);
  draft.removeMissing();
  expect(draft.files).toEqual(["a.md"]);
});
