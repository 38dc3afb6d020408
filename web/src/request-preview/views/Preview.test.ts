import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import { userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { part, preview } from "../../fakes/fake-previews";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

const PARTS = [
  part("tools", "tools", { tokens: 4200, state: "same", isCached: true }),
  part("system", "system prompt", { tokens: 1800, state: "same", isCached: true }),
  part("message", "your message", { state: "same", entryId: "e1", text: "What is here?", reason: "Said earlier" }),
  part("file", "README.md", { tokens: 900, state: "changed", reason: "Attached to this message" }),
  part("message", "your message", { text: "And now?", reason: "What you say now" }),
];

async function opened(prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides" });
  server.chats.add("c1", [userEntry(1, "What is here?")]);
  server.previews.preview = preview(PARTS);
  prepare(server);
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByRole("log");
  return server;
}

const bar = () => within(screen.getByRole("contentinfo", { name: "Status" }));
const press = () => fireEvent.keyDown(window, { key: "p", ctrlKey: true, altKey: true });
const look = async () => {
  await fireEvent.click(await bar().findByRole("button", { name: /see what will be sent/ }));
  const dialog = await screen.findByRole("dialog", { name: "What will be sent" });
  await within(dialog).findByRole("list", { name: /^Parts/ });
  return within(dialog);
};

test("the bar tells what the next request takes and costs, and so does the field", async () => {
  await opened();
  const button = await bar().findByRole("button", { name: /see what will be sent/ });
  expect(button.textContent).toMatch(/7.1k of 200k\s*\$0.02/);
  expect(bar().getByRole("meter").getAttribute("aria-valuetext")).toBe("7.1k of 200k tokens");
  expect(screen.getByRole("button", { name: "7.1k tokens, see what will be sent" })).toBeTruthy();
});

test("a nearly full window is said, with what to do; a broken cache has a mark", async () => {
  await opened((server) => { server.previews.preview = preview([part("file", "long.md", { tokens: 170_000 })], { cacheBreak: { part: 0, why: "The tools changed.", tokens: 5000, costMicros: 100 } }); });
  const button = await bar().findByRole("button", { name: /cache breaks, see what will be sent/ });
  expect(button.title).toContain("The tools changed. 5k tokens are read anew");
  expect(bar().getByRole("meter").getAttribute("data-level")).toBe("high");
  expect(bar().getByRole("button", { name: "Summarise" })).toBeTruthy();
});

test("every part is listed in order, and unfolds to its text", async () => {
  const server = await opened();
  const dialog = await look();
  expect(server.previews.asked.at(-1)?.texts).toBe(true);
  const rows = dialog.getAllByRole("listitem").map((row) => row.textContent.replace(/\s+/g, " ").trim());
  expect(rows).toEqual([
    expect.stringMatching(/^Tools .*remembered.*4.2k tokens/), expect.stringMatching(/^System prompt/), "Remembered up to here, 6k tokens",
    expect.stringMatching(/^Your message .*Said earlier: What is here\?/), expect.stringMatching(/^README.md ?Changed/), expect.stringMatching(/^Your message ?New/),
  ]);
  expect(dialog.queryByText("The text of README.md.")).toBeNull();
  const file = dialog.getAllByRole("listitem")[4];
  const details = file?.querySelector("details");
  if (!details) throw new Error("a row that unfolds");
  details.open = true;
  await fireEvent(details, new Event("toggle"));
  expect(dialog.getByRole("region", { name: "The text of README.md" }).textContent).toBe("The text of README.md.");
});

test("a file is left out of the message with one click", async () => {
  const server = await opened();
  const tick = await screen.findByRole("treeitem", { name: /README.md/ });
  tick.focus();
  await fireEvent.keyDown(tick, { key: " " });
  await waitFor(() => { expect(server.previews.asked.at(-1)?.turn.files).toEqual(["README.md"]); });
  const dialog = await look();
  expect(dialog.getAllByRole("button", { name: /^Leave out/ })).toHaveLength(1);
  await fireEvent.click(dialog.getByRole("button", { name: "Leave out README.md" }));
  await waitFor(() => { expect(server.previews.asked.at(-1)?.turn.files).toEqual([]); });
});

test("what is left out is said with its reason, and pinning puts it back", async () => {
  const server = await opened((prepared) => {
    prepared.previews.preview = preview(PARTS, {
      leftOut: [{ what: "the answer", why: "the conversation is longer than the model's window", tokens: 4000, entryId: "e7" }, { what: "AGENTS.md", why: "you have not agreed to it yet", tokens: 20, entryId: null }],
      removed: [{ origin: "result", name: "the result of read_file", tokens: 300 }],
    });
  });
  const dialog = await look();
  const section = within(dialog.getByRole("region", { name: "Left out" }));
  expect(section.getAllByRole("button")).toHaveLength(1);
  await fireEvent.click(section.getByRole("button", { name: "Send the answer whatever happens" }));
  await waitFor(() => { expect(server.chats.heard.at(-1)).toEqual({ what: "PUT /chats/c1/entries/e7/pin", body: { pinned: true } }); });
  expect(within(dialog.getByRole("region", { name: /^Sent with the request before/ })).getByText("The result of read_file")).toBeTruthy();
});

test("what can't be sent says why, and a broken cache where", async () => {
  await opened((server) => {
    server.previews.preview = preview(PARTS, { tooLong: "This is too long for the model.", cacheBreak: { part: 3, why: "A newer copy of README.md goes along.", tokens: 0, costMicros: 0 } });
  });
  const dialog = await look();
  expect(dialog.getByRole("alert").textContent).toContain("This can’t be sent. This is too long for the model.");
  expect(dialog.getByText(/^What the provider remembers breaks off at “README.md”\.$/)).toBeTruthy();
});

test("without a model the dialog says what to do", async () => {
  await opened((server) => { server.previews.refusal = { status: 409, detail: "There is no model that can be asked now." }; });
  await press();
  const dialog = within(await screen.findByRole("dialog", { name: "What will be sent" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("There is no model");
});

test("it is a command, and has no accessibility fault that a machine can find", async () => {
  await opened();
  await press();
  const dialog = await screen.findByRole("dialog", { name: "What will be sent" });
  await within(dialog).findByRole("list", { name: /^Parts/ });
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

test("editing an earlier message says what that would send", async () => {
  const server = await opened((prepared) => { prepared.previews.preview = preview(PARTS, { cacheBreak: { part: 2, why: "An earlier message is said in other words.", tokens: 12_000, costMicros: 40_000 } }); });
  await fireEvent.click(await screen.findByRole("button", { name: "Edit message" }));
  const hint = await screen.findByText(/^What followed stays readable/);
  await waitFor(() => { expect(hint.textContent).toContain("It sends 7.1k of 200k tokens"); });
  expect(hint.textContent).toContain("12k tokens are read anew, for $0.04 more.");
  expect(server.previews.asked.find(({ edits }) => edits !== undefined)).toMatchObject({ chatId: "c1", edits: "e1", texts: false, turn: { text: "What is here?" } });
});
