import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { EditorView } from "@codemirror/view";
import axe from "axe-core";
import { expect, test } from "vitest";
import { answerEntry, type Happening, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

const RUNNING: Happening = { kind: "turn", turnId: "t1", state: "running", text: "", model: null };
const STEP: Happening = { kind: "step", turnId: "t1", step: 1, model: "m", modelName: "Built-in model" };
const said = (text: string): Happening => ({ kind: "text", turnId: "t1", step: 1, text });
const asked = (approvalId: string, callId: string): Happening => ({
  kind: "approval", approvalId, turnId: "t1", callId, name: "run_command", arguments: { command: "pytest -q" }, why: "Commands ask.", rule: "pytest*", isUnsandboxed: true,
});

async function opened(prepare: (server: FakeServer) => void = () => undefined, chatId: string | null = "c1") {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides", "notes/plan.md": "Plan" });
  prepare(server);
  if (chatId !== null) localStorage.setItem("recto.chat.p1", JSON.stringify(chatId));
  const events = new FakeEvents();
  const { unmount } = render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByRole("textbox", { name: "Message" });
  if (chatId !== null) await screen.findByRole("log");
  const tell = (...happenings: Happening[]) => { server.chats.tell(events, chatId ?? "c1", ...happenings); };
  return { server, events, tell, unmount };
}

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const log = () => within(screen.getByRole("log"));
const write = async (text: string) => {
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  await fireEvent.input(field());
};
const enter = (modifiers: object = {}) => fireEvent.keyDown(field(), { key: "Enter", ...modifiers });
const heard = (server: FakeServer) => server.chats.heard;
const whats = (server: FakeServer) => heard(server).map(({ what }) => what);

test("what is sent first begins a chat", async () => {
  const { server, events } = await opened(undefined, null);
  await write("What is here?");
  await enter();
  // On its way it is shown at once, wherever the server is.
  expect([screen.getByLabelText("You").textContent, screen.getByText("Sending").role]).toEqual(["What is here?", "status"]);
  await waitFor(() => { expect(whats(server)).toEqual(["POST /projects/p1/chats", "POST /chats/c1/turns"]); });
  expect(heard(server)[1]?.body).toEqual({ text: "What is here?", files: [], contextIds: [], skillIds: [], additionalPrompt: "", selection: null, images: [], model: null, plan: false, openTabs: [], activeTab: null });
  await waitFor(() => { expect(events.chat.url).toBe("/api/v1/chats/c1/events?after=0"); });
  expect(field().value).toBe("");
});

test("an answer is shown while it is written, and its cost and source after", async () => {
  const { tell } = await opened((server) => { server.chats.add("c1"); });
  tell(RUNNING, { kind: "entry", entry: userEntry(1, "Why?") }, STEP, said("Because the "));
  expect(await screen.findByText(/Because the/)).toBeTruthy();
  tell(said("moon pulls."), { kind: "entry", entry: answerEntry(2, "Because the moon pulls.") }, { kind: "turn", turnId: "t1", state: "finished", text: "", model: null });
  expect(await screen.findByText("9.3k in, 412 out · $0.01")).toBeTruthy();
  expect(log().getAllByText("Because the moon pulls.")).toHaveLength(1);
  await fireEvent.click(screen.getByRole("button", { name: "High confidence 0.86" }));
  const source = screen.getByRole("dialog", { name: "High confidence 0.86" });
  expect(within(source).getByText("req_1")).toBeTruthy();
  expect(within(source).getByText("9.3k in, 300 cached, 412 out")).toBeTruthy();
  const rows = [...source.querySelectorAll("dt")].map((name) => [name.textContent, name.nextElementSibling?.textContent]);
  expect(rows.slice(1, 6)).toEqual([["Exact model", "claude-sonnet-5-5-20261101"], ["Request", "req_1"], ["Temperature", "not sent"], ["Thinking", "medium"], ["Longest answer", "16k tokens"]]);
});

test("where an answer comes from shows on hover, and why its confidence is unknown", async () => {
  const why = "This model is too small.";
  await opened((server) => { server.chats.add("c1", [userEntry(1, "Hi"), answerEntry(2, "Ho", { confidence: { value: null, source: "unknown", why } })]); });
  const button = await screen.findByRole("button", { name: "Source" });
  await fireEvent.mouseEnter(button);
  const source = await screen.findByRole("dialog", { name: "Confidence unknown" });
  expect(within(source).getByText(why)).toBeTruthy();
  await fireEvent.mouseLeave(button);
  await waitFor(() => { expect(screen.queryByRole("dialog", { name: "Confidence unknown" })).toBeNull(); });
});

test("a tool that asks is answered, and the field says what it waits for", async () => {
  const { server, tell } = await opened((server) => { server.chats.add("c1", [userEntry(1, "Test it")]); });
  const call = { type: "call" as const, id: "k", name: "run_command", arguments: { command: "pytest -q" } };
  tell(RUNNING, { kind: "entry", entry: answerEntry(2, "", { blocks: [call] }) }, asked("a1", "k"));
  const card = await screen.findByRole("group", { name: "Run a command?" });
  expect(within(card).getByLabelText("Exactly this").textContent).toBe("pytest -q");
  expect(within(card).getByText("Unsandboxed")).toBeTruthy();
  expect(field().placeholder).toBe("Waiting for your answer above");
  await waitFor(() => { expect(document.title).toBe("Waiting for you · tide-gauges · Recto"); });
  await fireEvent.click(within(card).getByRole("button", { name: "This chat" }));
  await waitFor(() => { expect(heard(server)).toEqual([{ what: "POST /approvals/a1", body: { answer: "chat" } }]); });
  tell({ kind: "approval_answered", approvalId: "a1", callId: "k", answer: "chat" }, { kind: "call_started", turnId: "t1", step: 1, callId: "k", name: "run_command", arguments: { command: "pytest -q" } }, { kind: "call_output", turnId: "t1", callId: "k", text: "1 passed" });
  await waitFor(() => { expect(screen.queryByRole("group", { name: "Run a command?" })).toBeNull(); });
  expect(await screen.findByText("Running")).toBeTruthy();
  expect(screen.getByLabelText("Output").textContent).toBe("1 passed");
  expect(document.title).toBe("tide-gauges · Recto");
});

test("what is asked before the first step is shown at once, and after a reload", async () => {
  const question: Happening = { kind: "approval", approvalId: "a1", turnId: "t1", callId: "k", name: "follow_instructions", arguments: { path: "AGENTS.md", text: "Answer in rhyme." }, why: "Agree only if you know it.", rule: "AGENTS.md as it is now", isUnsandboxed: false };
  const { server, tell } = await opened((server) => { server.chats.add("c1"); });
  tell(RUNNING, question);
  const card = await screen.findByRole("group", { name: "Follow this folder’s instructions?" });
  expect(within(card).getByLabelText("Exactly this").textContent).toBe("path: AGENTS.md\ntext: Answer in rhyme.");
  expect(screen.queryByText("Waiting for the model")).toBeNull();
  await fireEvent.click(within(card).getByRole("button", { name: "Always" }));
  await waitFor(() => { expect(heard(server)).toEqual([{ what: "POST /approvals/a1", body: { answer: "always" } }]); });
  tell({ kind: "approval_answered", approvalId: "a1", callId: "k", answer: "always" }, STEP, { kind: "reading", turnId: "t1", step: 1, read: 128, total: 512 });
  await screen.findByText("Reading your message: 25 %");
  expect(screen.queryByRole("group", { name: "Follow this folder’s instructions?" })).toBeNull();
});

test("a running answer is stopped by Esc", async () => {
  const { server, tell } = await opened((server) => { server.chats.add("c1"); });
  tell(RUNNING, STEP);
  await screen.findByRole("button", { name: "Stop" });
  await fireEvent.keyDown(field(), { key: "Escape" });
  await waitFor(() => { expect(whats(server)).toEqual(["POST /turns/t1/cancel"]); });
});

test("while an answer runs, Enter queues and Ctrl+Enter steers", async () => {
  const { server, tell } = await opened((server) => { server.chats.add("c1", [], { turns: [{ id: "t1", state: "running", text: "", model: null, startedAt: 0, profile: "chat", document: null, limit: null }] }); });
  await write("And the tests?");
  await enter();
  await waitFor(() => { expect(whats(server)).toEqual(["POST /chats/c1/turns"]); });
  tell({ kind: "turn", turnId: "t2", state: "queued", text: "And the tests?", model: null });
  const queue = await screen.findByRole("list", { name: "Waiting messages" });
  await fireEvent.click(within(queue).getByRole("button", { name: "Remove waiting message: And the tests?" }));
  await waitFor(() => { expect(whats(server).at(-1)).toBe("DELETE /turns/t2"); });
  await write("Only the slow ones");
  await enter({ ctrlKey: true });
  await waitFor(() => { expect(heard(server).at(-1)).toEqual({ what: "POST /turns/t1/steer", body: { text: "Only the slow ones" } }); });
});

test("a message that is refused stands in the field again, with the reason", async () => {
  const { server } = await opened((server) => { server.chats.add("c1"); });
  server.chats.refusal = { status: 409, detail: "This chat is being deleted." };
  await write("Once more");
  await enter();
  expect(await screen.findByText("This chat is being deleted.")).toBeTruthy();
  expect(field().value).toBe("Once more");
});

test("a draft is there again after a reload", async () => {
  const first = await opened((server) => { server.chats.add("c1"); });
  await write("Half a thought");
  window.dispatchEvent(new Event("pagehide"));
  first.unmount();
  await opened((server) => { server.chats.add("c1"); });
  expect(field().value).toBe("Half a thought");
});

test("a chat that is opened in the middle of an answer shows what there is and goes on", async () => {
  const { tell } = await opened((server) => {
    server.chats.add("c1", [userEntry(1, "Why?")], {
      turns: [{ id: "t1", state: "running", text: "", model: null, startedAt: 0, profile: "chat", document: null, limit: null }],
      events: [{ ...STEP, seq: 3 }, { ...said("Because "), seq: 4 }].map((event) => event as never),
      lastEvent: 4,
    });
  });
  expect(await screen.findByText(/Because/)).toBeTruthy();
  tell(said("of the moon."));
  expect(await screen.findByText("Because of the moon.")).toBeTruthy();
});

test("@ finds a file, which goes along", async () => {
  const { server } = await opened((server) => { server.chats.add("c1"); });
  await write("Compare @plan");
  await screen.findByRole("option", { name: /plan\.md/ });
  await enter();
  expect(field().value).toBe("Compare @notes/plan.md ");
  expect(screen.getByRole("button", { name: "Remove notes/plan.md" })).toBeTruthy();
  await enter();
  await waitFor(() => { expect(heard(server)[0]?.body).toMatchObject({ text: "Compare @notes/plan.md", files: ["notes/plan.md"] }); });
});

test("Ctrl+Shift+L brings the field, with the passage that is selected", async () => {
  const { server } = await opened((server) => { server.chats.add("c1"); });
  await fireEvent.click(await screen.findByRole("treeitem", { name: "README.md" }));
  const text = await screen.findByRole("textbox", { name: "Text of README.md" });
  await waitFor(() => { expect(text.textContent).toContain("# Tides"); });
  EditorView.findFromDOM(text)?.dispatch({ selection: { anchor: 2, head: 7 } });
  await fireEvent.keyDown(text, { key: "l", ctrlKey: true, shiftKey: true });
  await waitFor(() => { expect(document.activeElement).toBe(field()); });
  expect(screen.getByText("README.md, a passage")).toBeTruthy();
  await write("What is meant?");
  await enter();
  await waitFor(() => { expect(heard(server)[0]?.body).toMatchObject({ selection: { path: "README.md", before: "# ", text: "Tides", after: "" }, openTabs: ["README.md"], activeTab: "README.md" }); });
});

test("/ offers what can be done with the chat", async () => {
  const { server } = await opened((server) => { server.chats.add("c1", [userEntry(1, "Why?"), answerEntry(2, "So.")]); });
  await write("/summ");
  await screen.findByRole("option", { name: /Summarise this chat/ });
  await enter();
  await waitFor(() => { expect(whats(server)).toEqual(["POST /chats/c1/summary"]); });
  expect(field().value).toBe("");
});

test("an earlier message is edited in its place", async () => {
  const { server } = await opened((server) => { server.chats.add("c1", [userEntry(1, "Why?", { attached: [{ path: "README.md", origin: "file", size: 7, cut: null }] }), answerEntry(2, "So.")]); });
  await fireEvent.click(await screen.findByRole("button", { name: "Edit message" }));
  const words = screen.getByRole("textbox", { name: "Other words for this message" });
  await fireEvent.input(words, { target: { value: "Why not?" } });
  await fireEvent.keyDown(words, { key: "Enter" });
  await waitFor(() => { expect(heard(server)[0]).toMatchObject({ what: "POST /chats/c1/entries/e1/edit", body: { text: "Why not?", files: ["README.md"] } }); });
  // Whoever sent it writes on below.
  await waitFor(() => { expect(document.activeElement).toBe(field()); });
});

test("an answer is asked for again with another model", async () => {
  const { server } = await opened((server) => { server.chats.add("c1", [userEntry(1, "Why?"), answerEntry(2, "So.")]); });
  await fireEvent.click(await screen.findByRole("button", { name: "Retry" }));
  await fireEvent.click(await screen.findByRole("menuitem", { name: "Retry with Flash" }));
  await waitFor(() => { expect(heard(server)).toEqual([{ what: "POST /chats/c1/entries/e2/retry", body: { model: "google/flash" } }]); });
});

test("a failure says what to do, and offers it", async () => {
  const { server } = await opened((server) => {
    server.chats.add("c1", [userEntry(1, "Why?"), { kind: "error", id: "e2", seq: 2, createdAt: 0, turnId: "t1", failure: "network", message: "Anthropic did not answer in time.", remedy: "Check the connection, then retry.", canRetry: true }]);
  });
  expect((await screen.findByRole("alert")).textContent).toContain("Check the connection, then retry.");
  await fireEvent.click(within(screen.getByRole("alert")).getByRole("button", { name: "Retry" }));
  await waitFor(() => { expect(whats(server)).toEqual(["POST /chats/c1/entries/e2/retry"]); });
});

test("an interrupted turn is continued, also when the chat was named since", async () => {
  const { server } = await opened((server) => {
    server.chats.add("c1", [userEntry(1, "Why?"), { kind: "notice", id: "e2", seq: 2, createdAt: 0, turnId: "t1", reason: "interrupted", words: "Interrupted when Recto was closed.", canContinue: true, entries: [] }, { kind: "title", id: "e3", seq: 3, createdAt: 0, text: "Why", model: "m", costMicros: 0 }]);
  });
  await fireEvent.click(await screen.findByRole("button", { name: "Continue" }));
  await waitFor(() => { expect(whats(server)).toEqual(["POST /turns/t1/continue"]); });
});

test("undoing shows what it does before it does it", async () => {
  const { server } = await opened((server) => {
    const call = { type: "call" as const, id: "k", name: "read_file", arguments: { path: "README.md" } };
    server.chats.add("c1", [answerEntry(1, "", { blocks: [call] }), { kind: "tool_results", id: "e2", seq: 2, createdAt: 0, turnId: "t1", step: 1, results: [{ callId: "k", name: "read_file", text: "", images: [], fact: "+1 −1", state: "done", seconds: 1, changed: ["README.md"] }] }]);
    server.chats.undo = { files: [{ path: "README.md", action: "restore", words: "", diff: "@@ -1 +1 @@\n-new\n+old\n" }, { path: "b.md", action: "conflict", words: "It changed since.", diff: "" }], applied: false, notCovered: "", undoCallId: null };
  });
  await fireEvent.click(await screen.findByText("Undo this call…"));
  const dialog = await screen.findByRole("dialog", { name: "Undo this call" });
  expect(await within(dialog).findByText("1 file changed since in the same place.")).toBeTruthy();
  expect(within(dialog).getByLabelText("Change").textContent).toBe("@@ -1 +1 @@\n-new\n+old\n");
  await fireEvent.click(within(dialog).getByRole("button", { name: "Undo 1 file" }));
  expect(await screen.findByText("1 file undone.")).toBeTruthy();
  expect(server.asked.filter((line) => line.includes("undo"))).toEqual(["POST /calls/t1/k/undo?dryRun=true", "POST /calls/t1/k/undo?dryRun=false"]);
});

test("sentences are announced when they are whole, not words", async () => {
  const { tell } = await opened((server) => { server.chats.add("c1"); });
  const live = () => document.querySelector('p[aria-live="polite"]')?.textContent;
  tell(RUNNING, STEP, said("The moon pulls. It al"));
  await waitFor(() => { expect(live()).toBe("The moon pulls."); });
  tell(said("so turns."), { kind: "entry", entry: answerEntry(2, "The moon pulls. It also turns.") }, { kind: "turn", turnId: "t1", state: "finished", text: "", model: null });
  await waitFor(() => { expect(live()).toBe("It also turns."); });
});

test("the list of chats opens one and deletes another after a question", async () => {
  const { server } = await opened((server) => {
    server.chats.add("c1");
    server.chats.add("c2", [userEntry(1, "An older question")]).chat.title = "Older";
  });
  await fireEvent.click(screen.getByRole("button", { name: "Earlier chats" }));
  const list = within(await screen.findByRole("dialog", { name: "Chats" }));
  await fireEvent.click(await list.findByRole("button", { name: "Delete New chat" }));
  await fireEvent.click(list.getByRole("button", { name: "Delete" }));
  await waitFor(() => { expect(whats(server)).toEqual(["DELETE /projects/p1/chats/c1"]); });
  await fireEvent.click(list.getByRole("button", { name: /^Older/ }));
  expect(await screen.findByText("An older question")).toBeTruthy();
});

test("a model is chosen for the chat, and the instructions are one step away", async () => {
  const { server } = await opened((server) => { server.chats.add("c1"); });
  await fireEvent.click(await screen.findByRole("button", { name: "Model: Built-in model" }));
  const aboutTools = () => screen.queryAllByRole("button", { name: /^(Tools:|Plan mode)/ }).length;
  expect(aboutTools()).toBe(0);
  expect(screen.getByRole("menuitem", { name: /Instructions/ })).toBeTruthy();
  expect(screen.getByRole("menuitemradio", { name: /Sonnet 5/ }).hasAttribute("disabled")).toBe(true);
  await fireEvent.click(screen.getByRole("menuitemradio", { name: /Flash/ }));
  await waitFor(() => { expect(server.chats.views.get("c1")?.chat.model).toBe("google/flash"); });
  expect(await screen.findByRole("button", { name: "Model: Flash" })).toBeTruthy();
  expect(aboutTools()).toBe(2);
});

test("a chat has no accessibility fault that a machine can find", async () => {
  const { tell } = await opened((server) => {
    server.chats.add("c1", [userEntry(1, "Why?", { pinned: true, attached: [{ path: "README.md", origin: "file", size: 7, cut: "first 50 KB" }] }), answerEntry(2, "So.", { blocks: [{ type: "thinking", text: "Hm." }, { type: "text", text: "So." }] })]);
  });
  tell({ ...RUNNING, turnId: "t9" }, { kind: "turn", turnId: "t10", state: "queued", text: "Next", model: null });
  tell({ kind: "entry", entry: answerEntry(3, "", { turnId: "t9", blocks: [{ type: "call", id: "k", name: "run_command", arguments: { command: "ls" } }] }) }, { ...asked("a1", "k"), turnId: "t9" } as Happening);
  await screen.findByRole("group", { name: "Run a command?" });
  await write("/");
  await screen.findByRole("listbox", { name: "Skills and commands" });
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});
