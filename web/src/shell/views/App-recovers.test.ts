import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { createRawSnippet, tick } from "svelte";
import { expect, test, vi } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "./App.svelte";
import Region from "./Region.svelte";

const FILES = { "README.md": "# Tide gauges" };

async function started(files: Record<string, string> = FILES) {
  window.innerWidth = 1440;
  const server = new FakeServer(files);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByText("Recto is ready.");
  return { server, events };
}

const row = (name: string | RegExp) => screen.findByRole("treeitem", { name });

test("a page that could not start begins by itself once Recto answers", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer(FILES);
  server.reachable = false;
  const events = new FakeEvents({ greets: false });
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  events.newest.fail();
  expect(await screen.findByText("Recto does not answer.")).toBeTruthy();
  server.reachable = true;
  await waitFor(() => { expect(events.sources.length).toBeGreaterThan(1); }, { timeout: 3000 });
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(await screen.findByText("Recto is ready.")).toBeTruthy();
  expect(screen.queryByText("Recto does not answer.")).toBeNull();
});

test("a key that is added shows among what this computer has", async () => {
  const { server, events } = await started();
  await screen.findByText("Git");
  server.checks = [{ name: "Keys", state: "ok", detail: "Anthropic", remedy: null }];
  events.newest.say("change", { seq: 1, kind: "models", id: "models", action: "updated", version: 0 });
  expect(await screen.findByText("Keys")).toBeTruthy();
});

test("a server that was updated asks for a reload, one that was only restarted does not", async () => {
  const { events } = await started();
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  await screen.findByText("Recto is ready.");
  expect(screen.queryByRole("button", { name: "Recto was updated: reload" })).toBeNull();
  events.newest.say("hello", { version: "0.2.0", storeAnswers: true });
  expect(await screen.findByRole("button", { name: "Recto was updated: reload" })).toBeTruthy();
});

test("an error that nothing expected is told, what was given up on purpose and the browser's own complaints are not", async () => {
  await started();
  const told = () => screen.queryByText("Something in this page went wrong.");
  window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new DOMException("Given up.", "AbortError") }));
  window.dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop completed with undelivered notifications." }));
  await tick();
  expect(told()).toBeNull();
  window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new TypeError("x is undefined") }));
  await waitFor(() => { expect(told()).toBeTruthy(); });
});

test("a region that breaks says so in its place, and can be tried again", async () => {
  let isBroken = true;
  const children = createRawSnippet(() => {
    if (isBroken) throw new TypeError("x is undefined");
    return { render: () => "<p>Here again</p>" };
  });
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  render(Region, { name: "The chat", place: "page-recto", children });
  expect((await screen.findByRole("alert")).textContent).toContain("The chat can’t be shown.");
  expect(error).toHaveBeenCalledOnce();
  isBroken = false;
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Here again")).toBeTruthy();
});

test("a link that leads nowhere says that the file does not exist, and offers to make it", async () => {
  const { server } = await started({ "notes.md": "x" });
  server.files.delete("notes.md");
  await fireEvent.click(await row("notes.md"));
  expect(await screen.findByText("notes.md does not exist.")).toBeTruthy();
  expect(screen.getByText(/This folder has no file notes\.md/)).toBeTruthy();
  await fireEvent.click(screen.getByRole("button", { name: "Make this file" }));
  expect(await screen.findByRole("textbox", { name: "Text of notes.md" })).toBeTruthy();
  expect(server.files.get("notes.md")).toBe("");
});
