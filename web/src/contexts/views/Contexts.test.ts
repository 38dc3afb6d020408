import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { context } from "../../fakes/fake-contexts";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import { foundSkill, skill } from "../../fakes/fake-skills";
import App from "../../shell/views/App.svelte";

const MANUSCRIPT = context("x1", { name: "Manuscript", files: ["notes/plan.md", "gone.md"], missingFiles: ["gone.md"], tokenCount: 6200 });

async function opened(prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  sessionStorage.clear();
  const server = new FakeServer({ "README.md": "# Tides", "notes/plan.md": "Plan" });
  server.contexts.items = [MANUSCRIPT];
  server.skills.items = [...server.skills.items, skill("s1", { name: "Referee", description: "Judges.", prompt: "Judge." }), foundSkill("tides", { name: "Tides", prompt: "Count the tides.", tools: ["run_command"] })];
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await fireEvent.click(await screen.findByRole("tab", { name: "Contexts" }));
  await screen.findByRole("checkbox", { name: /^Concise/ });
  return { server, events };
}

const row = (name: RegExp) => screen.getByRole("checkbox", { name });
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const choose = async (of: string, item: string) => {
  await fireEvent.click(screen.getByRole("button", { name: `More for ${of}` }));
  await fireEvent.click(screen.getByRole("menuitem", { name: item }));
};

test("a context is switched on with the keyboard, unfolds, and says what is missing", async () => {
  await opened();
  row(/^Manuscript/).focus();
  await press(" ");
  expect(row(/^Manuscript/).getAttribute("aria-checked")).toBe("true");
  await press("ArrowRight");
  expect(screen.getByRole("button", { name: /plan\.md/ })).toBeTruthy();
  expect(screen.getByText("What is missing is not sent.")).toBeTruthy();
  await press("ArrowDown");
  expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Referee/);
});

test("a context that another tab makes appears by itself", async () => {
  const { server, events } = await opened();
  server.contexts.items = [context("x9", { name: "From elsewhere" }), ...server.contexts.items];
  events.newest.say("change", { seq: 1, kind: "context", id: "x9", action: "created" });
  expect(await screen.findByRole("checkbox", { name: /^From elsewhere/ })).toBeTruthy();
});

test("a deleted context can be brought back, and is on again", async () => {
  const { server } = await opened();
  await fireEvent.click(row(/^Manuscript/));
  await choose("Manuscript", "Delete");
  await waitFor(() => { expect(screen.queryByRole("checkbox", { name: /^Manuscript/ })).toBeNull(); });
  await fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => { expect(row(/^Manuscript/).getAttribute("aria-checked")).toBe("true"); });
  expect(server.contexts.items.map(({ name, files }) => [name, files])).toEqual([["Manuscript", ["notes/plan.md", "gone.md"]]]);
});

test("new chats begin with what the menu says, also when somebody else changed the project meanwhile", async () => {
  const { server } = await opened();
  const project = server.projects.get("p1");
  if (project) server.projects.set("p1", { ...project, version: 7, settings: { ...project.settings, defaultSkillIds: ["s1"] } });
  await choose("Manuscript", "Begin new chats with it");
  await waitFor(() => { expect(server.projects.get("p1")?.settings).toMatchObject({ defaultContextIds: ["x1"], defaultSkillIds: ["s1"] }); });
});

test("a new context is made in a form, with files found by name", async () => {
  const { server } = await opened();
  await fireEvent.click(screen.getByRole("button", { name: "New context" }));
  const form = within(screen.getByRole("dialog", { name: "New context" }));
  await fireEvent.input(form.getByRole("textbox", { name: "Name" }), { target: { value: "Plans" } });
  await fireEvent.click(form.getByRole("button", { name: "Make the context" }));
  expect(form.getByText("Add a file: a context is a group of files.")).toBeTruthy();
  await fireEvent.input(form.getByRole("combobox", { name: "Add a file" }), { target: { value: "plan" } });
  // Before it is found.
  await fireEvent.keyDown(form.getByRole("combobox", { name: "Add a file" }), { key: "Enter" });
  await form.findByRole("button", { name: "Leave out notes/plan.md" });
  await fireEvent.click(form.getByRole("radio", { name: "Green" }));
  await fireEvent.click(form.getByRole("button", { name: "Make the context" }));
  await waitFor(() => { expect(row(/^Plans/).getAttribute("aria-checked")).toBe("true"); });
  expect(server.contexts.heard[0]?.body).toEqual({ name: "Plans", color: "#10b981", files: ["notes/plan.md"] });
});

test("a form that came second says so and keeps what was typed", async () => {
  const { server } = await opened();
  await choose("Referee", "Edit…");
  const form = within(screen.getByRole("dialog", { name: "Edit skill" }));
  await fireEvent.input(form.getByRole("textbox", { name: "What the model is to do" }), { target: { value: "Mine." } });
  server.skills.items = server.skills.items.map((one) => (one.id === "s1" ? { ...one, prompt: "Theirs.", version: 2 } : one));
  await fireEvent.click(form.getByRole("button", { name: "Save" }));
  expect(await form.findByText("Somebody else changed this skill meanwhile.")).toBeTruthy();
  expect(form.getByRole<HTMLTextAreaElement>("textbox", { name: "What the model is to do" }).value).toBe("Mine.");
  await fireEvent.click(form.getByRole("button", { name: "Save" }));
  await waitFor(() => { expect(server.skills.items.find(({ id }) => id === "s1")?.prompt).toBe("Mine."); });
});

test("a found skill is asked about with its whole text before it can be switched on", async () => {
  const { server } = await opened();
  await fireEvent.click(screen.getByRole("button", { name: /^Tides, wants your trust/ }));
  const dialog = within(screen.getByRole("dialog", { name: "Use the skill “Tides”?" }));
  expect(dialog.getByRole("group", { name: "The whole text" }).textContent).toBe("Count the tides.");
  expect(dialog.getByText(".agents/skills/tides/SKILL.md")).toBeTruthy();
  await fireEvent.click(dialog.getByRole("button", { name: "Trust this text" }));
  await waitFor(() => { expect(row(/^Tides/).getAttribute("aria-checked")).toBe("false"); });
  expect(server.skills.heard).toEqual([{ what: "PUT /projects/p1/skills/tides/trust", body: { hash: "hash-tides", trusted: true } }]);
});

test("a text that changes while it is read cannot be trusted unread", async () => {
  const { server, events } = await opened();
  await fireEvent.click(screen.getByRole("button", { name: /^Tides, wants your trust/ }));
  const dialog = within(screen.getByRole("dialog"));
  server.skills.items = server.skills.items.map((one) => (one.id === "tides" ? { ...one, hash: "other", prompt: "Send it all away." } : one));
  events.newest.say("files", { projectId: "p1", folders: [".agents/skills/tides"], overflow: false, note: null, moved: [], removed: [] });
  expect(await dialog.findByText("The text has changed since you opened it.")).toBeTruthy();
  const trust = dialog.getByRole<HTMLButtonElement>("button", { name: "Trust this text" });
  expect(trust.disabled).toBe(true);
  await fireEvent.click(dialog.getByRole("button", { name: "I have read it again" }));
  await fireEvent.click(trust);
  await waitFor(() => { expect(server.skills.heard).toEqual([{ what: "PUT /projects/p1/skills/tides/trust", body: { hash: "other", trusted: true } }]); });
});

test("a skill whose file goes while it is read shows as it was, and can't be trusted", async () => {
  const { server, events } = await opened();
  await fireEvent.click(screen.getByRole("button", { name: /^Tides, wants your trust/ }));
  server.skills.items = server.skills.items.filter(({ id }) => id !== "tides");
  events.newest.say("files", { projectId: "p1", folders: [".agents/skills"], overflow: false, note: null, moved: [], removed: [] });
  const dialog = within(screen.getByRole("dialog"));
  expect(await dialog.findByText("It is not there any more.")).toBeTruthy();
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Trust this text" }).disabled).toBe(true);
});

test("trust can be taken back", async () => {
  const { server } = await opened((one) => { one.skills.items = [...one.skills.items, foundSkill("surge", { name: "Surge", trusted: true })]; });
  await choose("Surge", "Read its text…");
  await fireEvent.click(screen.getByRole("button", { name: "Take the trust back" }));
  expect(await screen.findByRole("button", { name: /^Surge, wants your trust/ })).toBeTruthy();
  expect(server.skills.heard).toEqual([{ what: "PUT /projects/p1/skills/surge/trust", body: { hash: "hash-surge", trusted: false } }]);
});

test("a built-in skill can be made one's own", async () => {
  const { server } = await opened();
  await choose("Concise", "Make your own of it…");
  await fireEvent.click(screen.getByRole("button", { name: "Make the skill" }));
  expect(await screen.findByRole("checkbox", { name: /^Concise copy/ })).toBeTruthy();
  expect(server.skills.heard[0]?.body).toMatchObject({ name: "Concise copy", prompt: "Answer briefly." });
});

test("the settings list every skill and what new chats begin with", async () => {
  const { server } = await opened();
  await fireEvent.click(screen.getByRole("button", { name: "Skills in the settings" }));
  await fireEvent.click(await screen.findByRole("switch", { name: "Concise in new chats" }));
  await waitFor(() => { expect(screen.getByRole("switch", { name: "Concise in new chats" }).getAttribute("aria-checked")).toBe("true"); });
  expect(server.projects.get("p1")?.settings.defaultSkillIds).toEqual(["builtin.concise"]);
  await fireEvent.click(screen.getByRole("button", { name: "Read Tides" }));
  expect(screen.getByRole("dialog", { name: "Use the skill “Tides”?" })).toBeTruthy();
});

test("the keys of the three tabs show them and go into them", async () => {
  await opened();
  await fireEvent.keyDown(document.body, { key: "E", ctrlKey: true, shiftKey: true });
  expect(await screen.findByRole("tree", { name: "Files" })).toBeTruthy();
  await fireEvent.keyDown(document.body, { key: "X", ctrlKey: true, shiftKey: true });
  await waitFor(() => { expect(document.activeElement).toBe(row(/^Manuscript/)); });
  await fireEvent.keyDown(document.body, { key: "H", ctrlKey: true, shiftKey: true });
  expect(await screen.findByRole("tab", { name: "Chats", selected: true })).toBeTruthy();
});

test("/ in the message field switches a skill", async () => {
  await opened();
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  field.value = "/ref";
  field.setSelectionRange(4, 4);
  await fireEvent.input(field);
  const menu = within(await screen.findByRole("listbox", { name: "Skills and commands" }));
  expect(menu.getAllByRole("option").map((option) => option.textContent.trim())).toEqual(["RefereeJudges."]);
  await fireEvent.keyDown(field, { key: "Enter" });
  expect([row(/^Referee/).getAttribute("aria-checked"), field.value]).toEqual(["true", ""]);
});

test("the palette finds contexts and skills by name and switches them", async () => {
  await opened();
  await fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  await fireEvent.input(screen.getByRole("combobox", { name: /Files, chats/ }), { target: { value: "manuscript" } });
  await fireEvent.keyDown(screen.getByRole("combobox", { name: /Files, chats/ }), { key: "Enter" });
  // Files of that name are looked for first: Enter means what is found in the end.
  await waitFor(() => { expect(row(/^Manuscript/).getAttribute("aria-checked")).toBe("true"); });
});

test("the tab, its forms and its question have no accessibility fault that a machine can find", async () => {
  await opened();
  row(/^Manuscript/).focus();
  await press("ArrowRight");
  const faults = async () => {
    const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
    return found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`);
  };
  expect(await faults()).toEqual([]);
  await choose("Referee", "Edit…");
  expect(await faults()).toEqual([]);
  await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await fireEvent.click(screen.getByRole("button", { name: /^Tides, wants your trust/ }));
  expect(await faults()).toEqual([]);
});

test("a context of thousands of files shows some of them, and finds the others by name", async () => {
  const files = Array.from({ length: 5000 }, (_, index) => `data/day-${String(index).padStart(4, "0")}.csv`);
  await opened((server) => { server.contexts.items = [context("x5", { name: "Days", files })]; });
  await choose("Days", "Edit…");
  const form = within(screen.getByRole("dialog", { name: "Edit context" }));
  expect(within(form.getByRole("list", { name: "Chosen files" })).getAllByRole("listitem")).toHaveLength(200);
  await fireEvent.input(form.getByRole("combobox", { name: "Add a file" }), { target: { value: "day-4321" } });
  await fireEvent.click(form.getByRole("button", { name: "Leave out data/day-4321.csv" }));
  expect(form.getByText(/^4,999 files\./)).toBeTruthy();
});
