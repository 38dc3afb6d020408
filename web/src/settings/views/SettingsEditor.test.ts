import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

async function opened(prepare: (server: FakeServer) => void = () => undefined, hash = "#settings/editor") {
  window.innerWidth = 1440;
  history.replaceState(null, "", `/${hash}`);
  const server = new FakeServer({ "README.md": "" });
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByRole("contentinfo", { name: "Status" });
  return { server, events };
}

const rhyme = { title: "Rhyme", prompt: "Make it rhyme." };
const formal = { title: "Formal", prompt: "Make it formal." };
const haiku = { title: "Haiku", prompt: "Three lines." };
const withTransforms = (server: FakeServer) => { server.preferences.values.editor.transforms = [rhyme, formal]; };
const titles = () => [...document.querySelectorAll(".transform-row")].map((row) => row.getAttribute("aria-label"));
const press = async (label: string) => fireEvent.click(await screen.findByLabelText(label));
const write = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });

test("suggestions are switched off, and a pause shows its own setting", async () => {
  const { server } = await opened();
  const group = await screen.findByRole("radiogroup", { name: "Suggestions at the cursor" });
  expect(within(group).getByRole<HTMLInputElement>("radio", { name: "When asked" }).checked).toBe(true);
  expect(screen.queryByRole("combobox", { name: "Suggest after" })).toBeNull();
  await fireEvent.click(within(group).getByRole("radio", { name: "After a pause" }));
  await fireEvent.change(await screen.findByRole("combobox", { name: "Suggest after" }), { target: { value: "2000" } });
  await fireEvent.change(screen.getByRole("combobox", { name: "Hide an unused suggestion" }), { target: { value: "0" } });
  await fireEvent.change(screen.getByRole("combobox", { name: "Model for suggestions" }), { target: { value: "google/flash" } });
  await waitFor(() => { expect(server.preferences.values.editor).toMatchObject({ suggest: "pause", suggestPauseMs: 2000, suggestHideSeconds: 0, suggestModel: "google/flash", transforms: [] }); });
  await fireEvent.click(within(group).getByRole("radio", { name: "Off" }));
  await waitFor(() => { expect(screen.queryByRole("combobox", { name: "Model for suggestions" })).toBeNull(); });
});

test("times and a model that only the file names are shown as they are", async () => {
  await opened((server) => { Object.assign(server.preferences.values.editor, { suggest: "pause", suggestPauseMs: 450, suggestHideSeconds: 4, suggestModel: "lab/gone" }); });
  const shown = async (name: string) => (await screen.findByRole<HTMLSelectElement>("combobox", { name })).selectedOptions[0]?.textContent;
  expect([await shown("Suggest after"), await shown("Hide an unused suggestion")]).toEqual(["0.45 s", "After 4 s"]);
  await waitFor(async () => { expect(await shown("Model for suggestions")).toBe("lab/gone, not known"); });
});

test("a transform is written, and mended", async () => {
  const { server } = await opened(withTransforms);
  await fireEvent.click(await screen.findByText("Add a transform"));
  await fireEvent.click(screen.getByText("Save"));
  expect(screen.getByText("Give it a name, and say what is to be done.")).toBeTruthy();
  await write("Name", " Haiku ");
  await write("What is to be done with the passage", "Three lines.");
  await fireEvent.click(screen.getByText("Save"));
  await press("Edit Haiku");
  await write("Name", "Verse");
  await fireEvent.click(screen.getByText("Save"));
  await screen.findByLabelText("Edit Verse");
  expect(server.preferences.values.editor.transforms).toEqual([rhyme, formal, { title: "Verse", prompt: "Three lines." }]);
});

test("transforms are moved, the focus goes along, and one that was removed comes back", async () => {
  const { server } = await opened((one) => { one.preferences.values.editor.transforms = [rhyme, formal, haiku]; });
  await press("Move Haiku up");
  await waitFor(() => { expect(titles()).toEqual(["Rhyme", "Haiku", "Formal"]); });
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("Move Haiku up"); });
  await press("Move Haiku up");
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("Move Haiku down"); });
  await press("Remove Rhyme");
  await waitFor(() => { expect(titles()).toEqual(["Haiku", "Formal"]); });
  await fireEvent.click(await screen.findByText("Undo"));
  await waitFor(() => { expect(server.preferences.values.editor.transforms).toEqual([haiku, rhyme, formal]); });
});

test("Esc leaves a transform as it was", async () => {
  const { server } = await opened(withTransforms);
  await press("Edit Rhyme");
  const field = screen.getByLabelText("Name");
  expect(document.activeElement).toBe(field);
  await fireEvent.input(field, { target: { value: "Other" } });
  await fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => { expect(document.activeElement?.getAttribute("aria-label")).toBe("Edit Rhyme"); });
  expect(server.preferences.values.editor.transforms).toEqual([rhyme, formal]);
});

test("a number is kept once it can be one", async () => {
  const { server } = await opened();
  const field = await screen.findByRole("textbox", { name: "Steps" });
  await fireEvent.input(field, { target: { value: "0" } });
  await fireEvent.change(field);
  expect(screen.getByText("Write a whole number from 1 to 1,000.")).toBeTruthy();
  expect(server.preferences.values.chats.steps).toBe(50);
  await fireEvent.input(field, { target: { value: "12" } });
  await fireEvent.change(field);
  await waitFor(() => { expect(server.preferences.values.chats.steps).toBe(12); });
});

test("what somebody else changed is read again, and nothing of it is lost", async () => {
  const { server } = await opened();
  const toggle = await screen.findByRole("switch", { name: "Commit accepted runs" });
  server.preferences.change({ ...server.preferences.values, chats: { ...server.preferences.values.chats, steps: 7 } });
  await fireEvent.click(toggle);
  expect(await screen.findByText(/The settings have changed meanwhile\./)).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Steps" }).value).toBe("7");
  await fireEvent.click(toggle);
  await waitFor(() => { expect(server.preferences.values.chats).toMatchObject({ steps: 7, commitAccepted: true }); });
  await waitFor(() => { expect(screen.queryByText(/changed meanwhile/)).toBeNull(); });
});

test("a change in another tab shows by itself", async () => {
  const { server, events } = await opened();
  await screen.findByRole("radiogroup", { name: "Suggestions at the cursor" });
  withTransforms(server);
  server.preferences.change({ ...server.preferences.values });
  events.newest.say("change", { seq: 1, kind: "preferences", id: "preferences", projectId: null, action: "updated", version: 0 });
  await waitFor(() => { expect(titles()).toEqual(["Rhyme", "Formal"]); });
});

test("a mistake in the file is told, and the page reads it again when asked", async () => {
  const { server } = await opened((one) => { one.preferences.broken = "settings.toml, line 1: this is wrong."; });
  expect(await screen.findByText(/line 1: this is wrong/)).toBeTruthy();
  server.preferences.broken = null;
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("radiogroup", { name: "Suggestions at the cursor" })).toBeTruthy();
});

test("the switch of a folder shows what holds there: its own choice, else that of the settings", async () => {
  const { server } = await opened((one) => { one.preferences.values.chats.review = "direct"; }, "#settings/tools");
  const toggle = await screen.findByRole("switch", { name: /^Review AI edits before they count/ });
  await waitFor(() => { expect(toggle.getAttribute("aria-checked")).toBe("false"); });
  expect(screen.getByText(/^Off in the settings of the editor/)).toBeTruthy();
  await fireEvent.click(toggle);
  await waitFor(() => { expect(toggle.getAttribute("aria-checked")).toBe("true"); });
  expect(server.projects.get("p1")?.settings.writePolicy).toBe("review");
  location.hash = "#settings/editor";
  expect(await screen.findByText(/The open folder has its own choice/)).toBeTruthy();
});

test("a folder's notebooks are saved without their outputs when that is chosen", async () => {
  const { server } = await opened();
  const toggle = await screen.findByRole("switch", { name: "Leave outputs out of the files" });
  expect(toggle.getAttribute("aria-checked")).toBe("false");
  await fireEvent.click(toggle);
  await waitFor(() => { expect(toggle.getAttribute("aria-checked")).toBe("true"); });
  expect(server.projects.get("p1")?.settings.stripOutputs).toBe(true);
});

test("a folder's kernels run in the sandbox when that is chosen", async () => {
  const { server } = await opened();
  await fireEvent.click(await screen.findByRole("radio", { name: "In the sandbox" }));
  expect(await screen.findByText(/writes in this folder alone, and has no network/)).toBeTruthy();
  expect(server.projects.get("p1")?.settings).toMatchObject({ kernelRights: "sandbox", stripOutputs: false });
});

test("the section has no accessibility fault that a machine can find", async () => {
  await opened(withTransforms);
  await press("Edit Rhyme");
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});
