import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { answerEntry, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { review, reviewEdit } from "../../fakes/fake-reviews";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

async function started(given: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides", "manuscript/methods.md": "The level.", "gauge.py": "x = 1" });
  server.reviews.items = [review("manuscript/methods.md"), review("gauge.py", { hunkCount: 1, unit: "line", added: 1, removed: 1 }), review("old.csv", { kind: "deleted", hunkCount: 0, added: 0, removed: 0 })];
  given(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  const list = within(await screen.findByRole("region", { name: "Edits to review" }));
  return { server, events, list };
}

test("the foot of the files lists what waits, and marks stand in the tree and on tabs", async () => {
  const { list } = await started();
  expect(list.getByRole("heading").textContent).toBe("4 edits to review");
  expect(list.getAllByRole("listitem").map((row) => row.textContent.replace(/\s+/g, " ").trim())).toEqual(["methods.md +3−2", "gauge.py +1−1", "old.csv Deleted"]);
  expect(await screen.findByRole("treeitem", { name: "manuscript, has edits to review inside" })).toBeTruthy();
  await fireEvent.click(await screen.findByRole("treeitem", { name: "gauge.py, 1 edit to review" }));
  expect(await screen.findByRole("tab", { name: "gauge.py, preview, 1 edit to review" })).toBeTruthy();
  await screen.findByRole("textbox", { name: "Text of gauge.py" });
});

test("a file in the list opens, and what happened to a whole file is decided there", async () => {
  const { server, list } = await started();
  await fireEvent.click(list.getByRole("button", { name: "methods.md, 3 words added, 2 words removed" }));
  expect(await screen.findByRole("tab", { name: /methods\.md/, selected: true })).toBeTruthy();
  await screen.findByRole("textbox", { name: "Text of methods.md" });
  await fireEvent.click(list.getByRole("button", { name: "Reject: old.csv, deleted" }));
  await waitFor(() => { expect(list.getByRole("heading").textContent).toBe("3 edits to review"); });
  expect(server.reviews.heard).toEqual([{ what: "POST /reviews/r-old.csv/reject", body: {} }]);
});

test("everything is accepted at once, and the list goes", async () => {
  const { server, list } = await started();
  await fireEvent.click(list.getByRole("button", { name: "Accept all" }));
  expect(await screen.findByText("3 files accepted.")).toBeTruthy();
  expect(screen.queryByRole("region", { name: "Edits to review" })).toBeNull();
  expect(server.reviews.heard).toEqual([{ what: "POST /projects/p1/reviews/accept", body: null }]);
});

test("an edit that comes later is listed by itself", async () => {
  const { server, events, list } = await started();
  server.reviews.items = [...server.reviews.items, review("README.md", { hunkCount: 1 })];
  events.newest.say("change", { seq: 1, kind: "review", id: "r-README.md", action: "updated" });
  await waitFor(() => { expect(list.getByRole("heading").textContent).toBe("5 edits to review"); });
});

test("a finished answer offers what it wrote, as a whole", async () => {
  const { server } = await started((fake) => {
    fake.chats.add("c1", [userEntry(1, "Fix it"), answerEntry(2, "Done.")]);
    fake.reviews.items = [review("gauge.py"), review("README.md", { edits: [reviewEdit("e9", { turnId: "t9" })] })];
  });
  await fireEvent.click(await screen.findByRole("button", { name: "Earlier chats" }));
  await fireEvent.click(await within(await screen.findByRole("dialog", { name: "Chats" })).findByRole("button", { name: /^New chat/ }));
  const row = within(await screen.findByRole("group", { name: "Edits of this answer" }));
  expect(row.getByText("1 file to review")).toBeTruthy();
  await fireEvent.click(row.getByRole("button", { name: "Reject all" }));
  await waitFor(() => { expect(server.reviews.heard).toEqual([{ what: "POST /turns/t1/reject", body: null }]); });
  await waitFor(() => { expect(screen.queryByRole("group", { name: "Edits of this answer" })).toBeNull(); });
});

test("the list has no accessibility fault that a machine can find", async () => {
  await started();
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

test("reviewing is switched off and on, in the settings and by command", async () => {
  const { server } = await started();
  location.hash = "#settings/tools";
  const toggle = await screen.findByRole("switch", { name: /^Review AI edits before they count/ });
  expect(toggle.getAttribute("aria-checked")).toBe("true");
  await fireEvent.click(toggle);
  await waitFor(() => { expect(server.projects.get("p1")?.settings.writePolicy).toBe("direct"); });
  await waitFor(() => { expect(toggle.getAttribute("aria-checked")).toBe("false"); });
  await fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  await fireEvent.input(await screen.findByRole("combobox"), { target: { value: ">review AI edits before" } });
  await fireEvent.click(await screen.findByRole("option", { name: /Review AI edits before they count/ }));
  await waitFor(() => { expect(server.projects.get("p1")?.settings.writePolicy).toBe("review"); });
});
