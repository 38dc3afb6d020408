import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { beforeAll, expect, test, vi } from "vitest";
import { answerEntry, type Happening, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { proposal } from "../../fakes/fake-proposals";
import { FakeServer } from "../../fakes/fake-server";
import { thread } from "../../fakes/fake-threads";
import App from "../../shell/views/App.svelte";
import { loadEditor } from "../../documents/views/load-editor";

const FAULTS = { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } };
const PASSAGE = "only amplitudes and phases are fitted";

// A deadline only ends what hangs.
vi.setConfig({ testTimeout: 60_000 });
// Some of these open a file. What loads late would outlive them.
beforeAll(loadEditor, 60_000);

async function opened(prepare: (server: FakeServer) => void = () => undefined, width = 1440) {
  window.innerWidth = width;
  const server = new FakeServer({ "a.md": "# Tides", "b.md": "Plan" });
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  const tab = await screen.findByRole("tab", { name: /^Threads/ });
  await fireEvent.click(tab);
  const tell = (chatId: string, ...happenings: Happening[]) => { server.chats.tell(events, chatId, ...happenings); };
  const changed = () => { events.newest.say("change", { seq: 1, kind: "thread", id: "n1", action: "updated" }); };
  return { server, events, tell, tab, changed };
}

const panel = () => within(screen.getByRole("tabpanel", { name: "Threads" }));
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const write = async (text: string) => {
  await fireEvent.input(field(), { target: { value: text } });
  await fireEvent.keyDown(field(), { key: "Enter" });
};
const openRow = async (name: RegExp) => { await fireEvent.click(await panel().findByRole("button", { name })); };
const call = (name: string) => ({ type: "call" as const, id: "k", name, arguments: {} });
/** A thread with a conversation in which something was proposed. */
const proposing = (name = "propose_edit") => (server: FakeServer) => {
  server.chats.add("c1", [userEntry(1, "Is that true?"), answerEntry(2, "", { blocks: [call(name)] })]);
  server.threads.items = [thread("n1", { text: PASSAGE, line: 5, chatId: "c1", messages: 2 })];
};

test("threads are listed by file, the one at hand first, and what is resolved is folded at the end", async () => {
  const { tab } = await opened((server) => {
    server.threads.items = [
      thread("n1", { path: "b.md", text: "the other", line: 7 }),
      thread("n2", { path: "a.md", text: "lost words", line: null, isDetached: true, status: "error", chatId: "c1" }),
      thread("n3", { path: "a.md", text: PASSAGE, line: 5, chatId: "c1", messages: 3, status: "streaming" }),
      thread("n4", { path: "a.md", text: "done with", status: "resolved", chatId: "c1" }),
    ];
  });
  await waitFor(() => { expect(tab.textContent).toBe("Threads3"); });
  await fireEvent.click(await screen.findByRole("treeitem", { name: "a.md" }));
  const texts = (name: string) => [...panel().getByRole("region", { name }).querySelectorAll(".thread-open")].map((row) => row.textContent.replaceAll(/\s+/g, " "));
  await waitFor(() => { expect(texts("a.md")).toHaveLength(2); });
  expect(texts("a.md")[0]).toMatch(/^only amplitudes and phases are fitted a\.md, line 5Answering3 messages/);
  expect(texts("a.md")[1]).toMatch(/^lost words a\.md, no longer in the textFailed/);
  expect(texts("Other files")[0]).toMatch(/^the other b\.md, line 7Comment/);
  const settled = panel().getByText("Resolved").closest("details");
  expect([settled?.open, settled?.textContent.includes("done with")]).toEqual([false, true]);
});

test("an open thread shows its passage and conversation, and takes a reply", async () => {
  const { server } = await opened((fake) => {
    fake.chats.add("c1", [userEntry(1, "Is that true?"), answerEntry(2, "Yes, it is.")]);
    fake.threads.items = [thread("n1", { text: PASSAGE, line: 5, chatId: "c1", messages: 2 })];
  });
  await openRow(/only amplitudes/);
  expect(panel().getByRole("heading", { name: "a.md, line 5" })).toBeTruthy();
  expect((await panel().findByText(PASSAGE)).tagName).toBe("BLOCKQUOTE");
  expect(await panel().findByText("Yes, it is.")).toBeTruthy();
  expect(field().placeholder).toBe("Reply in this thread");
  await write("For how long?");
  await waitFor(() => { expect(server.chats.heard.find(({ what }) => what === "POST /chats/c1/turns")?.body).toMatchObject({ text: "For how long?" }); });
  const back = panel().getByRole("button", { name: "All threads" });
  back.focus();
  await fireEvent.click(back);
  const row = await panel().findByRole("button", { name: /only amplitudes/ });
  await waitFor(() => { expect(document.activeElement).toBe(row); });
  await fireEvent.click(row);
  await waitFor(() => { expect(document.activeElement).toBe(panel().getByRole("button", { name: "All threads" })); });
});

test("a thread is resolved, opened again, and deleted after a question", async () => {
  const { server } = await opened((fake) => {
    fake.chats.add("c1", []);
    fake.threads.items = [thread("n1", { text: PASSAGE, chatId: "c1", hasAppliedEdit: true })];
  });
  await openRow(/only amplitudes/);
  const state = () => within(panel().getByRole("group", { name: "State of this thread" }));
  await fireEvent.click(state().getByRole("button", { name: "Resolve" }));
  await fireEvent.click(await state().findByRole("button", { name: "Reopen" }));
  await state().findByRole("button", { name: "Resolve" });
  expect(server.threads.heard.map(({ body }) => body)).toEqual([{ body: null, resolved: true }, { body: null, resolved: false }]);
  await fireEvent.click(panel().getByRole("button", { name: "More for this thread" }));
  await fireEvent.click(screen.getByRole("menuitem", { name: "Delete…" }));
  await fireEvent.click(panel().getByRole("button", { name: "Delete" }));
  expect(await panel().findByText("No threads yet.")).toBeTruthy();
});

test("a proposed edit is applied and then says when", async () => {
  const { server, changed } = await opened((fake) => {
    proposing()(fake);
    fake.proposals.items = [proposal("x1", { threadId: "n1", question: "The nodal factors follow.", options: [{ title: "", detail: "", path: "a.md", old: "fitted to ninety days", new: "fitted to 369 days" }] })];
  });
  await openRow(/only amplitudes/);
  const card = within(await panel().findByRole("group", { name: "Proposed edit" }));
  expect(card.getByText("a.md, line 5")).toBeTruthy();
  expect(card.getByText("The nodal factors follow.")).toBeTruthy();
  const change = card.getByRole("group", { name: "Change" });
  expect([change.querySelector("del")?.textContent, change.querySelector("ins")?.textContent]).toEqual(["ninety", "369"]);
  expect(card.getByRole("status").textContent).toBe("Not applied yet");
  await fireEvent.click(card.getByRole("button", { name: "Apply" }));
  await waitFor(() => { expect(card.getByRole("status").textContent).toMatch(/^Applied \d/); });
  expect(server.proposals.heard).toEqual([{ what: "/proposals/x1/apply", body: { option: 0 } }]);
  expect(card.queryByRole("button", { name: "Apply" })).toBeNull();
  server.threads.items = server.threads.items.map((one) => ({ ...one, hasAppliedEdit: true }));
  changed();
  expect(await panel().findByText("An edit of this thread was applied.")).toBeTruthy();
  await fireEvent.click(card.getByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("dialog", { name: "Undo this call" })).toBeTruthy();
});

test("an edit whose text has changed says so, and is dismissed and taken back", async () => {
  const { server } = await opened((fake) => {
    proposing()(fake);
    fake.proposals.items = [proposal("x1", { threadId: "n1", options: [{ title: "", detail: "", path: "a.md", old: "old", new: "new" }] })];
    fake.proposals.isStale = true;
  });
  await openRow(/only amplitudes/);
  const card = within(await panel().findByRole("group", { name: "Proposed edit" }));
  await fireEvent.click(card.getByRole("button", { name: "Apply" }));
  await waitFor(() => { expect(card.getByRole("status").textContent).toBe("The text has changed since."); });
  await fireEvent.click(card.getByRole("button", { name: "Show in file" }));
  expect(await screen.findByRole("tab", { name: "a.md" })).toBeTruthy();
  await fireEvent.click(card.getByRole("button", { name: "Dismiss" }));
  await waitFor(() => { expect(card.getByRole("status").textContent).toMatch(/^Dismissed/); });
  await fireEvent.click(card.getByRole("button", { name: "Undo" }));
  await waitFor(() => { expect(card.getByRole("button", { name: "Apply" })).toBeTruthy(); });
  expect(server.proposals.heard.map(({ what }) => what)).toEqual(["/proposals/x1/apply", "/proposals/x1/dismiss", "/proposals/x1/reopen"]);
});

test("one of several options is chosen: an edit is applied, anything else goes into the field", async () => {
  const options = [{ title: "Short", detail: "One clause.", path: "a.md", old: "a", new: "b" }, { title: "Leave it", detail: "A footnote will do.", path: null, old: "", new: "" }];
  const { server } = await opened((fake) => {
    proposing("create_proposal")(fake);
    fake.proposals.items = [proposal("x1", { question: "How should it say so?", options })];
  });
  await openRow(/only amplitudes/);
  const card = within(await panel().findByRole("group", { name: "How should it say so?" }));
  expect(card.getByRole("button", { name: "Apply Short" })).toBeTruthy();
  await fireEvent.click(card.getByRole("button", { name: "Choose Leave it" }));
  await waitFor(() => { expect(field().value).toBe("Leave it: A footnote will do."); });
  expect(server.proposals.heard).toEqual([{ what: "/proposals/x1/apply", body: { option: 1 } }]);
  expect(card.getByText("Chosen")).toBeTruthy();
});

test("several comments are sent as one message, and each shows its answer", async () => {
  const { server, changed } = await opened((fake) => {
    fake.chats.add("c9");
    fake.threads.items = [
      thread("n1", { path: "a.md", text: "first place", body: "Too long." }),
      thread("n2", { path: "b.md", text: "second place", body: "Is this so?" }),
      thread("n3", { path: "b.md", text: "third place", body: "Not yet." }),
    ];
  });
  const third = (await panel().findByText("third place")).closest("li");
  await fireEvent.click(within(third as HTMLElement).getByRole("checkbox", { name: "Send along" }));
  const batch = within(panel().getByRole("form", { name: "Send comments" }));
  expect([batch.getByText("2 comments").tagName, batch.getByText("to a new chat")]).toBeTruthy();
  await fireEvent.input(batch.getByRole("textbox"), { target: { value: "Be brief." } });
  await fireEvent.click(batch.getByRole("button", { name: "Send" }));
  await waitFor(() => { expect(server.threads.heard).toMatchObject([{ what: "POST /projects/p1/threads/send", body: { ids: ["n1", "n2"], text: "Be brief.", chatId: null, model: null } }]); });
  await waitFor(() => { expect(screen.getByRole("tab", { name: "Chat" }).getAttribute("aria-selected")).toBe("true"); });
  server.threads.items = server.threads.items.map((one) => (one.id === "n1" ? { ...one, reply: "Now it is *short*." } : one));
  changed();
  await fireEvent.click(screen.getByRole("tab", { name: /^Threads/ }));
  await openRow(/first place/);
  expect((await panel().findByRole("article", { name: "Answer to this comment" })).querySelector("em")?.textContent).toBe("short");
  expect(panel().getByRole("article", { name: "Your comment" }).textContent).toContain("Too long.");
});

test("a comment is edited in its place, and a reply makes it a thread", async () => {
  const { server } = await opened((fake) => {
    fake.chats.add("c-n1", []);
    fake.threads.items = [thread("n1", { text: PASSAGE, body: "Too long." })];
  });
  await openRow(/only amplitudes/);
  await fireEvent.click(panel().getByRole("button", { name: "Edit the comment" }));
  const words = panel().getByRole("textbox", { name: "The comment’s words" });
  await fireEvent.input(words, { target: { value: "Far too long." } });
  await fireEvent.keyDown(words, { key: "Enter" });
  await waitFor(() => { expect(server.threads.heard[0]?.body).toEqual({ body: "Far too long.", resolved: false }); });
  expect(screen.getByRole("button", { name: "Attach files" })).toBeTruthy();
  await write("Shorten it, please.");
  await waitFor(() => { expect(server.threads.heard[1]).toMatchObject({ what: "POST /projects/p1/threads/n1/messages", body: { text: "Shorten it, please.", model: null } }); });
  expect(await panel().findByRole("log")).toBeTruthy();
});

test("a passage of an answer gets a comment, which the answer then shows", async () => {
  const { server } = await opened((fake) => { fake.chats.add("c1", [userEntry(1, "Why?"), answerEntry(2, "The moon pulls.\n\nThe moon also turns.")]); localStorage.setItem("recto.chat.p1", JSON.stringify("c1")); });
  await fireEvent.click(screen.getByRole("tab", { name: "Chat" }));
  const second = await screen.findByText("The moon also turns.");
  document.getSelection()?.setBaseAndExtent(second.firstChild as Text, 0, second.firstChild as Text, 8);
  await fireEvent(document, new Event("selectionchange"));
  const bar = within(await screen.findByRole("toolbar", { name: "Selection in the answer" }));
  await fireEvent.click(bar.getByRole("button", { name: "Comment" }));
  expect((await panel().findByText("The moon")).tagName).toBe("BLOCKQUOTE");
  expect(field().placeholder).toBe("Write a comment");
  await write("Which one?");
  await waitFor(() => { expect(server.threads.heard[0]?.body).toEqual({ passage: { kind: "answer", chatId: "c1", entryId: "e2", text: "The moon", occurrence: 1 }, body: "Which one?" }); });
  expect(await panel().findByRole("button", { name: /The moon/ })).toBeTruthy();
  await fireEvent.click(screen.getByRole("tab", { name: "Chat" }));
  const notes = within(await screen.findByRole("list", { name: "Comments on this answer" }));
  await fireEvent.click(notes.getByRole("button", { name: "Which one?" }));
  expect(await panel().findByRole("article", { name: "Your comment" })).toBeTruthy();
});

test("the arrows go from one tab to the other", async () => {
  const { tab } = await opened();
  tab.focus();
  await fireEvent.keyDown(tab, { key: "ArrowLeft" });
  await waitFor(() => { expect(document.activeElement?.textContent).toBe("Chat"); });
  expect(screen.getByRole("tabpanel", { name: "Chat" })).toBeTruthy();
});

const faults = async () => (await axe.run(screen.getByRole("tabpanel", { name: "Threads" }), FAULTS)).violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`);

test("the list has no accessibility fault that a machine can find", async () => {
  await opened((fake) => { fake.threads.items = [thread("n1", { chatId: "c1" }), thread("n2", { body: "Too long." }), thread("n3", { status: "resolved", chatId: "c1" })]; });
  await panel().findByText("Too long.");
  expect(await faults()).toEqual([]);
});

test("a thread has no accessibility fault that a machine can find", async () => {
  await opened((fake) => {
    proposing()(fake);
    fake.proposals.items = [proposal("x1", { threadId: "n1" })];
  });
  await openRow(/only amplitudes/);
  await panel().findByRole("group", { name: "Proposed edit" });
  expect(await faults()).toEqual([]);
});
