import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "./App.svelte";

async function started(files: Record<string, string>) {
  window.innerWidth = 1440;
  const server = new FakeServer(files);
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  await screen.findByText("Recto is ready.");
}

test("what works now stands in the middle until a file is open, and is a link of the chat then", async () => {
  await started({ "README.md": "# Tide gauges" });
  const middle = within(screen.getByRole("main", { name: "Document" }));
  expect(middle.getByText("Recto is ready.")).toBeTruthy();
  expect(await middle.findByText("Keys to know")).toBeTruthy();
  const chat = within(screen.getByRole("group", { name: "New chat" }));
  expect([chat.queryByText("Recto is ready."), chat.queryByRole("button", { name: "What works now" })]).toEqual([null, null]);
  await fireEvent.click(await screen.findByRole("treeitem", { name: "README.md" }));
  await waitFor(() => { expect(middle.queryByText("Recto is ready.")).toBeNull(); });
  expect(screen.queryByText("Recto is ready.")).toBeNull();
  await fireEvent.click(chat.getByRole("button", { name: "What works now" }));
  expect(chat.getByText("Recto is ready.")).toBeTruthy();
  await fireEvent.click(chat.getByRole("button", { name: "Hide what works now" }));
  expect(chat.queryByText("Recto is ready.")).toBeNull();
});

test("an empty folder offers to make a file", async () => {
  await started({});
  await fireEvent.click(await screen.findByRole("button", { name: "make a file" }));
  expect(await screen.findByRole("dialog", { name: "New file" })).toBeTruthy();
});
