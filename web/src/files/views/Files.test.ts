import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

const FILES = { "README.md": "# Tide gauges", "notes/plan.md": "The plan." };

async function started(files: Record<string, string> = FILES) {
  window.innerWidth = 1440;
  const server = new FakeServer(files);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByText("Recto is ready.");
  return { server, events };
}

const row = (name: string | RegExp) => screen.findByRole("treeitem", { name });
const press = (key: string, modifiers: object = {}) => fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers });
const nameField = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });

async function type(words: string) {
  const field = await nameField();
  await fireEvent.input(field, { target: { value: words } });
  return field;
}

test("a file is made from the plus, a name that is taken or not allowed is said while it is typed", async () => {
  const { server } = await started();
  await row("README.md");
  await fireEvent.click(screen.getByRole("button", { name: "New file or folder" }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "New file…" }));
  await type("README.md");
  expect(await screen.findByText("“README.md” exists already here.")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make it" }).disabled).toBe(true);
  await type(".git");
  expect(await screen.findByText("This name belongs to git or to Recto.")).toBeTruthy();
  const field = await type("tides.md");
  await waitFor(() => { expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make it" }).disabled).toBe(false); });
  await fireEvent.submit(field);
  expect(await screen.findByRole("tab", { name: "tides.md", selected: true })).toBeTruthy();
  expect(server.files.get("tides.md")).toBe("");
});

test("a new file may lie in a folder that is made with it", async () => {
  const { server } = await started();
  await row("README.md");
  await fireEvent.click(screen.getByRole("button", { name: "New file or folder" }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "New file…" }));
  const field = await type("2026/tides.md");
  await waitFor(() => { expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make it" }).disabled).toBe(false); });
  await fireEvent.submit(field);
  expect(await screen.findByRole("tab", { name: "tides.md", selected: true })).toBeTruthy();
  expect(server.files.get("2026/tides.md")).toBe("");
  expect(await row("tides.md")).toBeTruthy();
});

test("Enter in the filter opens what was typed, also before it is found", async () => {
  await started();
  await row("README.md");
  await fireEvent.click(screen.getByRole("button", { name: "Filter files" }));
  const field = screen.getByRole("combobox", { name: "Filter files by name" });
  await fireEvent.input(field, { target: { value: "plan" } });
  await fireEvent.keyDown(field, { key: "Enter" });
  expect(await screen.findByRole("tab", { name: "plan.md", selected: true })).toBeTruthy();
});

test("F2 renames, the open tab follows, and Undo takes it back", async () => {
  const { server } = await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("tab", { name: /README/ });
  (await row("README.md")).focus();
  await press("F2");
  expect((await nameField()).value).toBe("README.md");
  await fireEvent.submit(await type("READ.md"));
  expect(await screen.findByRole("tab", { name: /READ\.md/, selected: true })).toBeTruthy();
  expect(await screen.findByRole("textbox", { name: "Text of READ.md" })).toBeTruthy();
  expect([...server.files.keys()]).toContain("READ.md");
  await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("tab", { name: /README\.md/, selected: true })).toBeTruthy();
  expect([...server.files.keys()]).toContain("README.md");
});

test("Delete puts a file into the trash, closes its tab, and Undo brings both back", async () => {
  const { server } = await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("tab", { name: /README/ });
  (await row("README.md")).focus();
  await press("Delete");
  expect(await screen.findByText("“README.md” was deleted. It is in the trash.")).toBeTruthy();
  expect(screen.queryByRole("tab", { name: /README/ })).toBeNull();
  expect(server.files.has("README.md")).toBe(false);
  await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("tab", { name: /README/ })).toBeTruthy();
  expect(server.files.get("README.md")).toBe("# Tide gauges");
});

test("the menu of a row moves, duplicates and makes things in its folder", async () => {
  const { server } = await started();
  await fireEvent.contextMenu(await row("README.md"));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Duplicate" }));
  expect(await row("README copy.md")).toBeTruthy();
  await fireEvent.contextMenu(await row("README copy.md"));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Move to…" }));
  const where = await screen.findByRole("combobox", { name: "Where to" });
  await fireEvent.input(where, { target: { value: "notes" } });
  await waitFor(() => { expect(screen.getByRole("option", { name: "notes" }).getAttribute("aria-selected")).toBe("true"); });
  await fireEvent.keyDown(where, { key: "Enter" });
  await waitFor(() => { expect([...server.files.keys()]).toContain("notes/README copy.md"); });
  (await row("notes")).focus();
  await press("F10", { shiftKey: true });
  await fireEvent.click(await screen.findByRole("menuitem", { name: "New folder…" }));
  expect(await screen.findByText("In notes.")).toBeTruthy();
  await fireEvent.submit(await type("deep"));
  await waitFor(() => { expect([...server.files.keys()]).toContain("notes/deep/.keep"); });
});

test("a file dropped on a folder lies in it", async () => {
  const { server } = await started();
  const dataTransfer = { setData: () => undefined, effectAllowed: "", dropEffect: "" };
  await fireEvent.dragStart(await row("README.md"), { dataTransfer });
  await fireEvent.dragOver(await row("notes"), { dataTransfer });
  expect((await row("notes")).hasAttribute("data-drop")).toBe(true);
  await fireEvent.drop(await row("notes"), { dataTransfer });
  await waitFor(() => { expect([...server.files.keys()]).toContain("notes/README.md"); });
  expect(await screen.findByText("“README.md” is in “notes” now.")).toBeTruthy();
});

test("what another tab moves and deletes, the tabs of this one follow", async () => {
  const { server, events } = await started();
  await fireEvent.click(await row("README.md"));
  await screen.findByRole("tab", { name: /README/ });
  server.files.delete("README.md");
  server.files.set("notes/READ.md", "# Tide gauges");
  events.newest.say("files", { projectId: "p1", folders: ["", "notes"], overflow: false, note: null, moved: [{ path: "README.md", newPath: "notes/READ.md" }], removed: [] });
  expect(await screen.findByRole("tab", { name: /READ\.md/ })).toBeTruthy();
  events.newest.say("files", { projectId: "p1", folders: ["notes"], overflow: false, note: null, moved: [], removed: ["notes"] });
  expect(await screen.findByText("No file is open.")).toBeTruthy();
});

test("the trash lists what was deleted, restores it, and is emptied after asking", async () => {
  const { server } = await started();
  (await row("README.md")).focus();
  await press("Delete");
  await screen.findByText("“README.md” was deleted. It is in the trash.");
  await fireEvent.click(screen.getByRole("button", { name: "More for files" }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Deleted files…" }));
  await fireEvent.click(await screen.findByRole("button", { name: "Restore README.md" }));
  expect(await screen.findByText("Nothing was deleted.")).toBeTruthy();
  expect(server.files.has("README.md")).toBe(true);
  const dialog = within(screen.getByRole("dialog"));
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Empty the trash…" }).disabled).toBe(true);
});

