import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "./App.svelte";

const FILES = { "README.md": "# Tide gauges" };
const WAITING = "The database does not answer; waiting";

function opened(greets: boolean): FakeEvents {
  window.innerWidth = 1440;
  const events = new FakeEvents({ greets });
  render(App, { options: { fetch: new FakeServer(FILES).fetch, openEvents: events.open } });
  return events;
}

test("a database that does not answer is said in the bar, until it does", async () => {
  const events = opened(true);
  await screen.findByRole("treeitem", { name: "README.md" });
  events.newest.say("store", { answers: false });
  expect(await screen.findByText(WAITING)).toBeTruthy();
  events.newest.say("store", { answers: true });
  await waitFor(() => { expect(screen.queryByText(WAITING)).toBeNull(); });
});

test("a page that opens while the database does not answer says so, and opens by itself", async () => {
  const events = opened(false);
  await waitFor(() => { expect(events.sources).toHaveLength(1); });
  events.newest.say("store", { answers: false });
  expect(await screen.findByText(`${WAITING}.`)).toBeTruthy();
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(await screen.findByRole("treeitem", { name: "README.md" })).toBeTruthy();
});

test("a page that is there before the program says what it waits for", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer(FILES);
  const opened = { now: () => {} };
  const opening = new Promise<void>((resolve) => { opened.now = resolve; });
  const fetch = async (...asked: Parameters<typeof server.fetch>) => { await opening; return server.fetch(...asked); };
  const events = new FakeEvents({ greets: false });
  render(App, { options: { fetch, openEvents: events.open } });
  expect(screen.getByText("Opening the folder…")).toBeTruthy();
  opened.now();
  await waitFor(() => { expect(events.sources).toHaveLength(1); });
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(await screen.findByRole("treeitem", { name: "README.md" })).toBeTruthy();
  expect(screen.queryByText("Opening the folder…")).toBeNull();
});
