import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { chat } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

async function opened(prepare: (server: FakeServer) => void = () => undefined) {
  window.innerWidth = 1440;
  const server = new FakeServer();
  server.groups.add("g1", { name: "Methods" });
  server.groups.add("g2", { name: "Results" });
  server.chats.add("c1", [], { chat: chat("c1", { title: "Tides", lastActiveAt: 200 }) });
  server.chats.add("c2", [], { chat: chat("c2", { title: "Storms", lastActiveAt: 100 }) });
  prepare(server);
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await fireEvent.click(await screen.findByRole("tab", { name: "Chats" }));
  await screen.findByRole("treeitem", { name: /Tides/ });
  await screen.findByRole("treeitem", { name: /Methods/ });
  let seq = 0;
  /** Tells the page that another tab changed something. */
  const told = (kind: "chat" | "chat_group" | "turn", id: string) => {
    seq += 1;
    events.newest.say("change", { seq, kind, id, projectId: "p1", action: "updated", version: 1 });
  };
  return { server, told };
}

const tree = () => within(screen.getByRole("tree", { name: "Chats" }));
const names = () => tree().getAllByRole("treeitem").map((item) => item.getAttribute("title") ?? item.textContent.trim());
const row = (name: RegExp) => tree().getByRole("treeitem", { name });
const press = (key: string, modifiers: object = {}) => fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers });

test("folders come first, each with what lies in it", async () => {
  await opened((server) => { server.chats.change("c2", { groupId: "g1" }); });
  expect(names()).toEqual(["Methods", "Storms", "Results", "No chats in here yet", "Tides"]);
});

test("letters make a word when they were pressed together, however late a busy page hears of them", async () => {
  await opened((server) => { server.chats.add("c3", [], { chat: chat("c3", { title: "Tables", lastActiveAt: 50 }) }); });
  const at = async (pressedAt: number, key: string) => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: pressedAt });
    await fireEvent(document.activeElement ?? document.body, event);
  };
  (await tree().findByRole("treeitem", { name: /Tables/ })).focus();
  await at(1000, "t");
  await waitFor(() => { expect(row(/Tides/)).toBe(document.activeElement); });
  await at(3000, "a");
  await at(5000, "s");
  await waitFor(() => { expect(row(/Storms/)).toBe(document.activeElement); });
  await at(5100, "x");
  await at(7000, "t");
  await at(7100, "i");
  await waitFor(() => { expect(row(/Tides/)).toBe(document.activeElement); });
});

test("a chat is renamed in place, with the keyboard alone", async () => {
  const { server } = await opened();
  row(/Tides/).focus();
  await press("F2");
  const field = await screen.findByRole<HTMLInputElement>("textbox", { name: "Title of the chat" });
  expect([document.activeElement === field, field.value]).toEqual([true, "Tides"]);
  await fireEvent.input(field, { target: { value: "Ebb and flood" } });
  await press("Enter");
  await waitFor(() => { expect(server.chats.views.get("c1")?.chat.title).toBe("Ebb and flood"); });
  await tree().findByRole("treeitem", { name: /Ebb and flood/ });
});

test("a rename that another tab overtook is told, keeps what was typed, and is made when it is meant again", async () => {
  const { server, told } = await opened();
  row(/Tides/).focus();
  await press("F2");
  const field = await screen.findByRole<HTMLInputElement>("textbox", { name: "Title of the chat" });
  await fireEvent.input(field, { target: { value: "Mine" } });
  server.chats.change("c1", { title: "Theirs" });
  told("chat", "c1");
  await press("Enter");
  expect((await screen.findByRole("alert")).textContent).toContain("This chat is called “Theirs” now");
  expect([field.value, server.chats.views.get("c1")?.chat.title]).toEqual(["Mine", "Theirs"]);
  await press("Enter");
  await waitFor(() => { expect(server.chats.views.get("c1")?.chat.title).toBe("Mine"); });
});

test("the order does not change under a field that is typed in", async () => {
  const { server, told } = await opened();
  row(/Tides/).focus();
  await press("F2");
  await screen.findByRole("textbox", { name: "Title of the chat" });
  server.chats.change("c2", { lastActiveAt: 900, title: "Storms, again" });
  told("chat", "c2");
  await tree().findByRole("treeitem", { name: /again/ });
  expect(names().slice(-1)).toEqual(["Storms, again"]);
  await press("Escape");
  await waitFor(() => { expect(names().slice(-2)).toEqual(["Storms, again", "Tides"]); });
});

test("Alt and the arrows put a folder elsewhere; the focus goes along", async () => {
  const { server } = await opened();
  row(/Results/).focus();
  await press("ArrowUp", { altKey: true });
  await waitFor(() => { expect(names().filter((name) => /Methods|Results/.test(name))).toEqual(["Results", "Methods"]); });
  expect(server.groups.heard).toEqual([{ what: "PUT /projects/p1/chat-groups/reorder", body: { ids: ["g2", "g1"] } }]);
  await waitFor(() => { expect(document.activeElement?.getAttribute("title")).toBe("Results"); });
});

test("whoever goes on before a folder has moved keeps the keyboard where they went", async () => {
  await opened();
  row(/Results/).focus();
  const pressed = press("ArrowUp", { altKey: true });
  row(/Storms/).focus();
  await pressed;
  await waitFor(() => { expect(names().filter((name) => /Methods|Results/.test(name))).toEqual(["Results", "Methods"]); });
  await new Promise(requestAnimationFrame);
  expect(document.activeElement?.getAttribute("title")).toBe("Storms");
});

test("a menu moves a chat into a folder, and undo takes it back", async () => {
  const { server } = await opened();
  await fireEvent.contextMenu(row(/Tides/));
  await fireEvent.click(screen.getByRole("menuitem", { name: "Move to…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Move “Tides”" }));
  await fireEvent.input(dialog.getByRole("combobox"), { target: { value: "resu" } });
  await fireEvent.keyDown(dialog.getByRole("combobox"), { key: "Enter" });
  await waitFor(() => { expect(server.chats.views.get("c1")?.chat.groupId).toBe("g2"); });
  await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => { expect(server.chats.views.get("c1")?.chat.groupId).toBeNull(); });
});

test("a deleted folder leaves its chats, and comes back with them", async () => {
  const { server } = await opened((server) => { server.chats.change("c1", { groupId: "g1" }); });
  row(/Methods/).focus();
  await press("Delete");
  await waitFor(() => { expect([server.groups.items.length, server.chats.views.get("c1")?.chat.groupId]).toEqual([1, null]); });
  await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => { expect(names()).toEqual(["Methods", "Tides", "Results", "No chats in here yet", "Storms"]); });
});

test.each([1, 3])("whoever goes elsewhere %i moments after a folder has gone is left there", async (moments) => {
  await opened();
  row(/Methods/).focus();
  const field = screen.getByRole("textbox", { name: "Message" });
  const went = new Promise<void>((resolve) => {
    const watching = new MutationObserver(() => {
      if (tree().queryByRole("treeitem", { name: /Methods/ })) return;
      watching.disconnect();
      void (async () => {
        for (let moment = 0; moment < moments; moment += 1) await Promise.resolve();
        field.focus();
        resolve();
      })();
    });
    watching.observe(document.body, { childList: true, subtree: true });
  });
  await press("Delete");
  await went;
  await screen.findByRole("button", { name: "Undo" });
  await new Promise((resolve) => { requestAnimationFrame(resolve); });
  expect(document.activeElement).toBe(field);
});

test("a folder begins new chats with its contexts and skills", async () => {
  const { server } = await opened();
  await fireEvent.contextMenu(row(/Methods/));
  await fireEvent.click(screen.getByRole("menuitem", { name: "Colour and defaults…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Folder “Methods”" }));
  await fireEvent.click(dialog.getByRole("radio", { name: "Green" }));
  await fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => { expect(server.groups.items.find(({ id }) => id === "g1")?.color).toBe("#10b981"); });
});

test("what another tab did shows without a pause, and a chat that runs says so", async () => {
  const { server, told } = await opened();
  server.groups.change("g1", { name: "Methodology" });
  told("chat_group", "g1");
  server.chats.change("c1", { groupId: "g1", isRunning: true });
  told("turn", "c1");
  await tree().findByRole("treeitem", { name: "Methodology, 1 chat, running" });
  await tree().findByRole("treeitem", { name: "Tides, running" });
});

test("a search shows the places, and opens the chat there", async () => {
  const { server } = await opened((server) => { server.chats.matches = [{ chatId: "c2", title: "Storms", entryId: "e4", seq: 4, kind: "user", snippet: "the storm surge", ranges: [[4, 9]], isThread: false }]; });
  await fireEvent.input(screen.getByRole("textbox", { name: "Search in all chats" }), { target: { value: "storm" } });
  await fireEvent.click(await screen.findByRole("button", { name: /the storm surge/ }));
  await waitFor(() => { expect(server.asked).toContain("GET /chats/c2"); });
});

test("a chat that was answered while another shows is unread until it is opened", async () => {
  const { server, told } = await opened();
  expect(tree().queryByRole("treeitem", { name: /unread/ })).toBeNull();
  server.chats.change("c2", { lastActiveAt: Date.now() + 1000 });
  told("turn", "c2");
  expect((await tree().findByRole("treeitem", { name: /Storms.*unread/ })).textContent).toContain("new");
  await fireEvent.click(row(/Storms/));
  await waitFor(() => { expect(row(/Storms/).getAttribute("aria-label")).not.toContain("unread"); });
  await fireEvent.click(row(/Tides/));
  await waitFor(() => { expect(row(/Tides/).getAttribute("aria-selected")).toBe("true"); });
  expect(tree().queryByRole("treeitem", { name: /unread/ })).toBeNull();
});
