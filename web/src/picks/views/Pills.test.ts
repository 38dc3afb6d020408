import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import type { NewTurn } from "../../api";
import { chat, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { context } from "../../fakes/fake-contexts";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

const FILES = { "manuscript/methods.md": "Twelve long.", "manuscript/results.md": "Six.", "README.md": "Read me." };

async function started(prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  const server = new FakeServer(FILES);
  server.contexts.items = [context("x1", { name: "Manuscript", color: "#f59e0b", files: ["manuscript/methods.md", "manuscript/results.md"], tokenCount: 16 })];
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await row("README.md");
  return { server, events };
}

const row = (name: string | RegExp) => screen.findByRole("treeitem", { name });
const checked = async (name: string) => (await row(name)).getAttribute("aria-checked");
const pills = () => within(screen.getByRole("list", { name: "Goes along with every message" })).queryAllByRole("listitem").map((item) => item.textContent.replace(/\s+/g, " ").trim());
const add = async (name: string | RegExp) => {
  if (!screen.queryByRole("menu", { name: "Contexts and skills" })) await fireEvent.click(screen.getByRole("button", { name: "Add a context or skill" }));
  await fireEvent.click(await screen.findByRole("menuitemcheckbox", { name }));
};
const choose = async (pill: RegExp, item: string) => {
  await fireEvent.click(screen.getByRole("button", { name: pill }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: item }));
};
const said = (server: FakeServer) => server.chats.heard.filter(({ what }) => what.endsWith("/turns")).map(({ body }) => body as NewTurn);

async function say(text: string) {
  await fireEvent.input(screen.getByRole("textbox", { name: "Message" }), { target: { value: text } });
  await fireEvent.click(screen.getByRole("button", { name: "Send" }));
}

test("Space ticks a file, a folder ticks all of its files, and both go along with the next message", async () => {
  const { server } = await started();
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  (await row("manuscript")).focus();
  await press("End");
  await press(" ");
  expect(await checked("README.md")).toBe("true");
  await press("Home");
  await press(" ");
  await waitFor(async () => { expect(await checked("manuscript")).toBe("true"); });
  await press("ArrowRight");
  await fireEvent.click((await row("methods.md")).querySelector(".tick") ?? document.body);
  expect([await checked("methods.md"), await checked("manuscript")]).toEqual(["false", "mixed"]);
  expect(screen.queryByRole("tab", { name: /methods/ }), "a press on the tick opens nothing").toBeNull();
  await waitFor(() => { expect(pills()).toEqual(["2 files 12"]); });
  await say("Compare them");
  await waitFor(() => { expect(said(server)).toHaveLength(1); });
  expect(said(server)[0]).toMatchObject({ files: ["README.md", "manuscript/results.md"], contextIds: [], skillIds: [] });
  expect(pills(), "picks stay for the next message").toEqual(["2 files 12"]);
});

test("a context and a skill are added as pills, and the context is made to match the ticks", async () => {
  const { server } = await started();
  await add("Manuscript 16");
  await add(/Concise/);
  await waitFor(() => { expect(pills()).toEqual(["Manuscript 16", "Concise 10"]); });
  await fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
  await fireEvent.click((await row("README.md")).querySelector(".tick") ?? document.body);
  expect(pills()[0]).toMatch(/^Manuscript\s?\*/);
  await choose(/^Context Manuscript/, "Update to match the ticks");
  await waitFor(() => { expect(server.contexts.items[0]?.files).toEqual(["manuscript/methods.md", "manuscript/results.md", "README.md"]); });
  await waitFor(() => { expect(screen.queryByRole("button", { name: /differs/ })).toBeNull(); });
  await choose(/^Context Manuscript/, "Turn off");
  expect([await checked("README.md"), pills().length], "the ticks stay").toEqual(["true", 2]);
  screen.getByRole("button", { name: /^Skill Concise/ }).focus();
  await fireEvent.keyDown(screen.getByRole("button", { name: /^Skill Concise/ }), { key: "Delete" });
  expect(screen.queryByRole("button", { name: /^Skill Concise/ })).toBeNull();
});

test("words for every message are kept as a pill and sent", async () => {
  const { server } = await started();
  await fireEvent.click(screen.getByRole("button", { name: "Add a context or skill" }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Additional prompt…" }));
  await fireEvent.input(await screen.findByRole("textbox", { name: /Goes along/ }), { target: { value: "Use metric units." } });
  await fireEvent.click(screen.getByRole("button", { name: "Keep" }));
  await waitFor(() => { expect(pills()).toEqual(["Additional prompt 17"]); });
  await say("Why?");
  await waitFor(() => { expect(said(server)[0]?.additionalPrompt).toBe("Use metric units."); });
});

test("what is pinned to a chat comes back with it, and what was picked by hand can come back too", async () => {
  const { server } = await started((fake) => { for (const id of ["first", "second"]) fake.chats.add(id, [], { chat: chat(id, { title: id }) }); });
  await open("first");
  await add(/^Manuscript/);
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Pin to this chat" }));
  await waitFor(() => { expect(server.chats.views.get("first")?.chat).toMatchObject({ contextIds: ["x1"], additionalFiles: [] }); });
  await open("second");
  await waitFor(() => { expect(pills()).toEqual([]); });
  await fireEvent.click((await row("README.md")).querySelector(".tick") ?? document.body);
  await open("first");
  await waitFor(() => { expect(pills()[0]).toMatch(/^Manuscript/); });
  expect(await checked("README.md")).toBe("false");
  await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await checked("README.md")).toBe("true");
});

test("a message shows what went along, many files folded, and sends again what of it still is there", async () => {
  const attached = Array.from({ length: 12 }, (_, at) => ({ path: `f${String(at)}.md`, origin: "file" as const, size: 1, cut: null }));
  const { server } = await started((fake) => {
    const entry = userEntry(1, "Why?", {
      contexts: [{ id: "x1", name: "Manuscript", color: "#f59e0b" }, { id: "gone", name: "Old notes", color: "#3b82f6" }],
      skills: [{ id: "builtin.concise", name: "Concise", color: "#8b5cf6" }],
      additionalPrompt: "Short.",
      attached: [...attached, { path: "Concise", origin: "skill", size: 1, cut: null }],
    });
    fake.chats.add("first", [entry], { chat: chat("first", { title: "first" }) });
  });
  await open("first");
  const along = await screen.findByRole("list", { name: "Sent along" });
  const chips = () => within(along).getAllByRole("listitem").map((item) => item.textContent.replace(/\s+/g, " ").trim());
  expect(chips().slice(0, 5)).toEqual(["Context Manuscript", "Context Old notes", "Skill Concise", "Additional prompt", "f0.md"]);
  expect(chips().at(-1)).toBe("4 more files");
  await fireEvent.click(within(along).getByRole("button", { name: "4 more files" }));
  expect(chips()).toHaveLength(16);
  await fireEvent.click(screen.getByRole("button", { name: "Edit message" }));
  await fireEvent.keyDown(screen.getByDisplayValue("Why?"), { key: "Enter" });
  const edited = () => server.chats.heard.find(({ what }) => what.endsWith("/edit"))?.body;
  await waitFor(() => { expect(edited()).toMatchObject({ contextIds: ["x1"], skillIds: ["builtin.concise"], additionalPrompt: "Short." }); });
  expect((edited() as NewTurn).files).toHaveLength(12);
});

test("a new chat begins with the project's defaults", async () => {
  await started((fake) => {
    const home = fake.projects.get("p1");
    if (home) fake.projects.set("p1", { ...home, settings: { ...home.settings, defaultContextIds: ["x1"], defaultSkillIds: ["builtin.concise"] } });
  });
  await waitFor(() => { expect(pills().map((text) => text.split(" ")[0])).toEqual(["Manuscript", "Concise"]); });
  expect(await checked("manuscript")).toMatch(/true|mixed/);
});

test("a ticked file that is gone is named, and not sent", async () => {
  const { server, events } = await started();
  await fireEvent.click((await row("README.md")).querySelector(".tick") ?? document.body);
  server.files.delete("README.md");
  events.newest.say("files", { projectId: "p1", folders: [""], overflow: false, note: null, moved: [], removed: [] });
  expect(await screen.findByText(/1 ticked file is gone/)).toBeTruthy();
  await say("Why?");
  await waitFor(() => { expect(said(server)[0]?.files).toEqual([]); });
  await fireEvent.click(screen.getByRole("button", { name: "Untick" }));
  expect(pills()).toEqual([]);
});

test("the left panel has four tabs that arrows move between", async () => {
  await started();
  const strip = screen.getByRole("tablist", { name: "Left panel" });
  expect(within(strip).getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Files", "Contexts", "Chats", "References"]);
  await fireEvent.keyDown(within(strip).getByRole("tab", { name: "Files" }), { key: "ArrowRight" });
  expect(within(strip).getByRole("tab", { selected: true }).textContent).toBe("Contexts");
  await waitFor(() => { expect(document.activeElement?.textContent).toBe("Contexts"); });
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: "End" });
  expect(screen.getByRole("tabpanel", { name: "References" })).toBeTruthy();
  await fireEvent.keyDown(within(strip).getByRole("tab", { name: "References" }), { key: "ArrowRight" });
  expect(screen.getByRole("tree")).toBeTruthy();
});

test("pills and their menus have no accessibility fault that a machine can find", async () => {
  await started();
  await add(/^Manuscript/);
  await add(/Concise/);
  await fireEvent.click((await row("README.md")).querySelector(".tick") ?? document.body);
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

/** Opens a chat from the list over the chat. */
async function open(title: string) {
  await fireEvent.click(screen.getByRole("button", { name: "Earlier chats" }));
  await fireEvent.click(await within(await screen.findByRole("dialog", { name: "Chats" })).findByRole("button", { name: new RegExp(`^${title}`) }));
  await screen.findByRole("heading", { name: title });
}

test("what is picked is counted as the chosen model counts", async () => {
  const { server } = await started();
  await add(/^Manuscript/);
  await fireEvent.click(await screen.findByRole("button", { name: "Model: Built-in model" }));
  await fireEvent.click(await screen.findByRole("menuitemradio", { name: /^Flash/ }));
  await waitFor(() => { expect(server.tokens.asked.at(-1)?.model).toBe("google/flash"); });
});
