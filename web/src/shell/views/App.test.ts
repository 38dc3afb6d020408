import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "./App.svelte";

const FILES = { "README.md": "# Tide gauges", "manuscript/methods.md": "The level is a sum.", "manuscript/results.md": "The level rose.", "photo.png": "\0" };

async function started(files: Record<string, string> = FILES, width = 1440) {
  window.innerWidth = width;
  const server = new FakeServer(files);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByText("Recto is ready.");
  return { server, events };
}

const row = (name: string | RegExp) => screen.findByRole("treeitem", { name });
const rowNames = () => screen.getAllByRole("treeitem").map((item) => item.textContent.trim());
const press = (key: string, modifiers: object = {}) => fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers });

test("the page shows the project, its files and what this computer has", async () => {
  await started();
  await row("README.md");
  expect(rowNames()).toEqual(["manuscript", "photo.png", "README.md"]);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("tide-gauges, Recto");
  expect(screen.getByRole("button", { name: "Project tide-gauges, switch" })).toBeTruthy();
  expect(await screen.findByText("Git")).toBeTruthy();
  await waitFor(() => { expect(screen.getByRole("contentinfo", { name: "Status" }).textContent).toContain("Live"); });
});

test("the page has no accessibility fault that a machine can find", async () => {
  await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("tab", { name: /README/ });
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

test("a click previews a file, a double click keeps it", async () => {
  await started();
  await fireEvent.click(await row("README.md"));
  expect(await screen.findByRole("tab", { name: "README.md, preview", selected: true })).toBeTruthy();
  await fireEvent.dblClick(await row("README.md"));
  expect(await screen.findByRole("tab", { name: "README.md", selected: true })).toBeTruthy();
  expect(await screen.findByRole("textbox", { name: "Text of README.md" })).toBeTruthy();
});

test("the tree is worked with the keyboard alone", async () => {
  await started();
  (await row("manuscript")).focus();
  await press("ArrowRight");
  await row("methods.md");
  await press("ArrowRight");
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("methods.md"); });
  await press("End");
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("README.md"); });
  await press("m");
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("manuscript"); });
  await press("ArrowLeft");
  await waitFor(() => { expect(rowNames()).toEqual(["manuscript", "photo.png", "README.md"]); });
  const item = await row("manuscript");
  expect(["aria-level", "aria-setsize", "aria-posinset", "aria-expanded"].map((name) => item.getAttribute(name))).toEqual(["1", "3", "1", "false"]);
});

test("a new file on disk appears by itself", async () => {
  const { server, events } = await started();
  await row("README.md");
  server.files.set("zebra.md", "");
  server.git = { "zebra.md": "untracked" };
  events.newest.say("files", { projectId: "p1", folders: [""], overflow: false, note: null, moved: [], removed: [] });
  expect(await row("zebra.md, new, not tracked by git")).toBeTruthy();
});

test("a folder that can't be watched says so", async () => {
  const { events } = await started();
  await row("README.md");
  events.newest.say("files", { projectId: "p1", folders: [], overflow: true, note: "Changes in this folder can't be watched.", moved: [], removed: [] });
  expect(await screen.findByText("Changes in this folder can't be watched.")).toBeTruthy();
});

test("a deleted file keeps its tab and says that it is gone", async () => {
  const { server, events } = await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("textbox", { name: "Text of README.md" });
  server.files.delete("README.md");
  events.newest.say("files", { projectId: "p1", folders: [""], overflow: false, note: null, moved: [], removed: [] });
  expect(await screen.findByText("README.md was deleted. Its last content is shown.")).toBeTruthy();
  await fireEvent.click(screen.getByRole("button", { name: "Close tab" }));
  expect(await screen.findByText("No file is open.")).toBeTruthy();
});

test("a file that is not text says so with its size", async () => {
  await started({ "levels.bin": "\0" });
  await fireEvent.click(await row("levels.bin"));
  expect(await screen.findByText("levels.bin is not text (10 bytes).")).toBeTruthy();
});

test("a picture is shown in place of a text", async () => {
  await started();
  await fireEvent.click(await row("photo.png"));
  const picture = await screen.findByAltText("photo.png");
  expect(picture.getAttribute("src")).toBe("/api/v1/projects/p1/raw?path=photo.png&version=1");
  await fireEvent.error(picture);
  expect(await screen.findByText("photo.png is not shown.")).toBeTruthy();
});

test("a split shows a file twice and closes again", async () => {
  await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("textbox", { name: "Text of README.md" });
  await fireEvent.click(await screen.findByRole("button", { name: "Split right" }));
  await waitFor(() => { expect(screen.getAllByRole("textbox", { name: "Text of README.md" })).toHaveLength(2); });
  expect(screen.getAllByRole("group", { name: /side$/ }).map((side) => side.hasAttribute("data-here"))).toEqual([false, true]);
  await fireEvent.click(screen.getByRole("button", { name: "Close the split" }));
  await waitFor(() => { expect(screen.getAllByRole("textbox", { name: "Text of README.md" })).toHaveLength(1); });
});

test("the outline finds a heading by a few letters", async () => {
  await started({ "notes.md": "# Tides\n\ntext\n\n## Surges\n" });
  await fireEvent.click(await row("notes.md"));
  await screen.findByRole("textbox", { name: "Text of notes.md" });
  await press("j", { ctrlKey: true });
  const field = await screen.findByRole("combobox", { name: /Heading, definition/ });
  await fireEvent.input(field, { target: { value: ":3" } });
  expect(await screen.findByRole("option", { name: /Line 3/ })).toBeTruthy();
  await fireEvent.keyDown(field, { key: "Enter" });
  await waitFor(() => { expect(screen.queryByRole("dialog")).toBeNull(); });
});

test("the palette opens by its key, finds a file and gives way to it", async () => {
  await started();
  await row("README.md");
  await press("k", { ctrlKey: true });
  const field = await screen.findByRole("combobox", { name: /^Files, chats/ });
  await fireEvent.input(field, { target: { value: "methods" } });
  expect(await screen.findByRole("option", { name: /methods\.md/ })).toBeTruthy();
  await fireEvent.keyDown(field, { key: "Enter" });
  expect(await screen.findByRole("tab", { name: "methods.md", selected: true })).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a search lists lines by file and opens one", async () => {
  await started();
  await fireEvent.click(await screen.findByRole("button", { name: "Search in files" }));
  await fireEvent.input(screen.getByRole("textbox", { name: "Text to search for" }), { target: { value: "level" } });
  const group = await screen.findByRole("group", { name: "manuscript/results.md" });
  await fireEvent.click(within(group).getByRole("button", { name: "Line 1: The level rose." }));
  expect(await screen.findByRole("tab", { name: "results.md, preview" })).toBeTruthy();
});

test("a folder that cannot be opened is told in the dialog", async () => {
  await started();
  await fireEvent.click(await screen.findByRole("button", { name: /^Project/ }));
  await fireEvent.click(screen.getByRole("button", { name: "Open folder…" }));
  await fireEvent.input(screen.getByLabelText("Path of the folder"), { target: { value: "/nope" } });
  await fireEvent.click(screen.getByRole("button", { name: "Open folder" }));
  await waitFor(() => { expect(screen.getByRole("alert").textContent).toBe('{"path":"/nope"} is not a folder. Check the path.'); });
});

test("a rename that somebody overtook is told and can be tried again", async () => {
  const { server } = await started();
  const theirs = server.projects.get("p1");
  if (theirs) server.projects.set("p1", { ...theirs, name: "theirs", version: 2 });
  await fireEvent.click(await screen.findByRole("button", { name: /^Project/ }));
  await fireEvent.click(screen.getByRole("button", { name: "Rename…" }));
  await fireEvent.input(screen.getByRole("textbox", { name: "Name" }), { target: { value: "ours" } });
  await fireEvent.click(screen.getByRole("button", { name: "Rename" }));
  expect(await screen.findByText("Somebody else changed this project. Its newest name is shown.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Project theirs, switch" })).toBeTruthy();
});

test("a project is removed only when its name is typed", async () => {
  const { server } = await started();
  await fireEvent.click(await screen.findByRole("button", { name: /^Project/ }));
  await fireEvent.click(screen.getByRole("option", { name: /storm-list/ }));
  await fireEvent.click(await screen.findByRole("button", { name: "Project storm-list, switch" }));
  await fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
  const remove = screen.getByRole("button", { name: "Remove from the list" });
  expect(remove.hasAttribute("disabled")).toBe(true);
  await fireEvent.input(screen.getByLabelText("Type storm-list to confirm"), { target: { value: "storm-list" } });
  await fireEvent.click(remove);
  expect(await screen.findByRole("button", { name: "Project tide-gauges, switch" })).toBeTruthy();
  expect([...server.projects.keys()]).toEqual(["p1"]);
});

test("a project renamed elsewhere shows its new name", async () => {
  const { server, events } = await started();
  const theirs = server.projects.get("p1");
  if (theirs) server.projects.set("p1", { ...theirs, name: "tides", version: 2 });
  events.newest.say("change", { seq: 1, kind: "project", id: "p1", projectId: "p1", action: "updated", version: 2 });
  expect(await screen.findByRole("button", { name: "Project tides, switch" })).toBeTruthy();
});

test("an ended session takes the whole page, in words", async () => {
  const server = new FakeServer(FILES);
  server.signedIn = false;
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  expect(await screen.findByText("This session has ended.")).toBeTruthy();
  expect(screen.getByText(/Run recto again, or open a new link/)).toBeTruthy();
});

test("a server that is not there at the start is told, and tried again", async () => {
  const server = new FakeServer(FILES);
  server.reachable = false;
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  expect(await screen.findByText("Recto does not answer.")).toBeTruthy();
  server.reachable = true;
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await row("README.md")).toBeTruthy();
});

test("what happens before the server listens for this page is not missed", async () => {
  const server = new FakeServer(FILES);
  const events = new FakeEvents({ greets: false });
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await waitFor(() => { expect(server.asked).toContain("GET /projects/current"); });
  expect(server.asked.filter((line) => line.startsWith("GET /projects/p1/"))).toEqual([]);
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(await row("README.md")).toBeTruthy();
});

test("a page that could not listen at first opens all the same, and reads everything again when it can", async () => {
  const server = new FakeServer(FILES);
  const events = new FakeEvents({ greets: false });
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await waitFor(() => { expect(events.sources).toHaveLength(1); });
  events.newest.fail();
  await row("README.md");
  server.files.set("late.md", "Late");
  await waitFor(() => { expect(events.sources).toHaveLength(2); });
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(await row("late.md")).toBeTruthy();
});

test("a lost connection is said in the bar and the page goes on", async () => {
  const { events } = await started();
  await row("README.md");
  events.newest.fail();
  expect(await screen.findByText("Offline, trying again")).toBeTruthy();
  expect(rowNames()).toEqual(["manuscript", "photo.png", "README.md"]);
});

test("the panels close and open by their keys", async () => {
  await started();
  await row("README.md");
  await press("b", { ctrlKey: true });
  await waitFor(() => { expect(screen.queryByRole("tree")).toBeNull(); });
  await press("\\", { ctrlKey: true });
  await waitFor(() => { expect(screen.queryByRole("group", { name: "New chat" })).toBeNull(); });
  await fireEvent.click(screen.getByRole("button", { name: "Show files" }));
  await fireEvent.click(screen.getByRole("button", { name: "Show the right page" }));
  expect([await screen.findByRole("tree"), await screen.findByRole("group", { name: "New chat" })].length).toBe(2);
});

test("the edge of a panel is moved by arrows", async () => {
  await started();
  const edge = await screen.findByRole("separator", { name: "Width of the left panel" });
  await fireEvent.keyDown(edge, { key: "ArrowRight" });
  expect(edge.getAttribute("aria-valuenow")).toBe("272");
  await fireEvent.dblClick(edge);
  expect(edge.getAttribute("aria-valuenow")).toBe("256");
});

test("at 400 pixels files and document are reached from the right page", async () => {
  await started(FILES, 400);
  expect(screen.queryByRole("tree")).toBeNull();
  await fireEvent.click(screen.getByRole("button", { name: "Show files" }));
  await fireEvent.click(await row("README.md"));
  expect(await screen.findByRole("textbox", { name: "Text of README.md" })).toBeTruthy();
  await fireEvent.click(screen.getByRole("button", { name: "Chat" }));
  expect(await screen.findByText("Recto is ready.")).toBeTruthy();
});

test("? shows every shortcut, but not to somebody who types", async () => {
  await started();
  (await row("README.md")).focus();
  await press("?", { shiftKey: true });
  const dialog = await screen.findByRole("dialog", { name: "Shortcuts" });
  expect(within(dialog).getByText("Open the palette")).toBeTruthy();
  await fireEvent.click(within(dialog).getByRole("button", { name: "Close" }));
  await fireEvent.click(screen.getByRole("button", { name: "Filter files" }));
  await fireEvent.keyDown(screen.getByRole("combobox", { name: "Filter files by name" }), { key: "?", shiftKey: true });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the settings have a page of their own and the theme is chosen there", async () => {
  await started();
  await fireEvent.click(await screen.findByRole("button", { name: "Settings" }));
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("Appearance");
  await fireEvent.click(screen.getByRole("radio", { name: "Dark" }));
  expect(document.documentElement.dataset["theme"]).toBe("dark");
  await fireEvent.click(screen.getByRole("radio", { name: "System" }));
  await fireEvent.click(screen.getByRole("button", { name: "Back from settings" }));
  expect(await screen.findByRole("tree")).toBeTruthy();
});
