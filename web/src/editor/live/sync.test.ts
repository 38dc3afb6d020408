import { expect, test, vi } from "vitest";
import * as Y from "yjs";
import { accept } from "../ghost";
import { FakeTextServer } from "./fake-text-server";
import { KIND, readSaid } from "./frames";
import type { TextStatus } from "./live-text";
import { DocumentSync } from "./sync";
import { TextViewer } from "../viewer";

function setUp(text = "one\n") {
  vi.useFakeTimers();
  const server = new FakeTextServer(text);
  const told: TextStatus[] = [];
  const sync = new DocumentSync("ws://test", { onStatus: (_path, status) => { told.push(status); } }, server.open);
  const live = sync.text("a.md");
  const status = () => told.at(-1);
  return { server, sync, live, status };
}

test("a text is there once both sides have met", () => {
  const { server, live, status } = setUp();
  expect(status()).toBeUndefined();
  server.newest.onopen?.();
  expect([live.content, status()?.synced, status()?.online, status()?.waiting]).toEqual(["one\n", true, true, 0]);
});

test("of a new text all is asked for at once, of one that was met what is missing", () => {
  const { server, sync, live } = setUp();
  server.newest.onopen?.();
  expect(server.asked).toEqual([{ type: "open", channel: 1, path: "a.md", whole: true }]);
  server.newest.close();
  server.doc.getText("text").insert(4, "two\n");
  sync.retryNow();
  server.newest.onopen?.();
  expect([server.asked[1]?.["whole"], live.content]).toEqual([false, "one\ntwo\n"]);
});

test("what is typed is sent at once, and waits until it is stored", () => {
  const { server, live, status } = setUp();
  server.newest.onopen?.();
  server.acknowledges = false;
  live.text.insert(0, "😀 ");
  expect([server.text, status()?.waiting, status()?.saved]).toEqual(["😀 one\n", 1, false]);
  server.newest.say({ type: "ack", channel: 1, edits: 1 });
  expect(status()?.waiting).toBe(0);
});

test("edits made offline are counted, and merge when the server is back", () => {
  const { server, live, status } = setUp();
  server.newest.onopen?.();
  server.newest.close();
  live.text.insert(0, "offline ");
  live.text.insert(0, "still ");
  server.doc.getText("text").insert(4, "two\n");
  expect([status()?.online, status()?.waiting]).toEqual([false, 2]);
  vi.advanceTimersByTime(500);
  server.newest.onopen?.();
  const merged = "still offline one\ntwo\n";
  expect([live.content, server.text, status()?.online, status()?.waiting]).toEqual([merged, merged, true, 0]);
});

test("a retry does not wait when the network is back", () => {
  const { server, sync } = setUp();
  server.newest.onopen?.();
  server.newest.close();
  sync.retryNow();
  expect(server.sockets.length).toBe(2);
});

test("once the session is over nobody knocks any more, and the text stays", () => {
  const { server, sync, live, status } = setUp();
  server.newest.onopen?.();
  sync.rest();
  server.newest.close();
  vi.advanceTimersByTime(60_000);
  expect([server.sockets.length, live.content, status()?.online]).toEqual([1, "one\n", false]);
});

test("another history takes the place of ours, and what we wrote is handed out", () => {
  const { server, sync, live, status } = setUp();
  server.newest.onopen?.();
  server.newest.close();
  live.text.insert(0, "mine ");
  server.epoch = "e2";
  server.doc.getText("text").delete(0, 4);
  server.doc.getText("text").insert(0, "new\n");
  vi.advanceTimersByTime(500);
  server.newest.onopen?.();
  expect([sync.text("a.md").content, status()?.left, status()?.waiting, server.text]).toEqual(["new\n", { base: "one\n", mine: "mine one\n" }, 0, "new\n"]);
  expect(sync.takeLeft("a.md")).toBe(false);
  sync.forgetLeft("a.md");
  expect(status()?.left).toBeNull();
});

test("what fits another history is put in, once, and can be undone", () => {
  const { server, sync, live, status } = setUp("one\ntwo\nthree\n");
  server.newest.onopen?.();
  server.newest.close();
  live.text.insert(0, "mine ");
  server.epoch = "e2";
  server.doc.getText("text").insert(8, "and ");
  vi.advanceTimersByTime(500);
  server.newest.onopen?.();
  expect([sync.takeLeft("a.md"), sync.takeLeft("a.md")]).toEqual([true, false]);
  const text = sync.text("a.md");
  expect([text.content, server.text, status()?.left]).toEqual([server.text, "mine one\ntwo\nand three\n", null]);
  text.undo.undo();
  expect(server.text).toBe("one\ntwo\nand three\n");
});

test("a text is let go when its tab closes, but not before its edits are stored", () => {
  const { server, sync, live } = setUp();
  server.newest.onopen?.();
  server.acknowledges = false;
  live.text.insert(0, "x");
  sync.keepOnly([]);
  expect([server.asked.map((one) => one["type"]), sync.waiting]).toEqual([["open"], 1]);
  server.newest.say({ type: "ack", channel: 1, edits: 1 });
  expect(server.asked.map((one) => one["type"])).toEqual(["open", "close"]);
});

test("saving and choosing a version are asked of the server", () => {
  const { server, sync, status } = setUp();
  server.newest.onopen?.();
  sync.save("a.md");
  sync.resolve("a.md", "theirs");
  expect(server.asked.slice(1)).toEqual([{ type: "save", asUtf8: false, channel: 1 }, { type: "resolve", choice: "theirs", channel: 1 }]);
  server.newest.say({ type: "state", channel: 1, saved: false, saving: false, gone: false, problem: "Full.", theirs: "disk" });
  expect([status()?.problem, status()?.theirs]).toEqual(["Full.", "disk"]);
  server.newest.say({ type: "refused", channel: 1, reason: "It is not text.", readOnly: true });
  expect(status()?.refused).toBe("It is not text.");
});

test("undo takes back what was typed here and what an AI wrote, not what others did", () => {
  const { server, live } = setUp("one\n");
  server.newest.onopen?.();
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(server.doc));
  const write = (text: string, kind: number) => {
    const before = Y.encodeStateVector(other);
    other.getText("text").insert(0, text);
    server.newest.pass(kind, Y.encodeStateAsUpdate(other, before));
  };
  write("person ", KIND.edit);
  write("AI ", KIND.editByAi);
  expect(live.content).toBe("AI person one\n");
  live.undo.undo();
  expect(live.content).toBe("person one\n");
  live.undo.undo();
  expect(live.content).toBe("person one\n");
  live.undo.redo();
  expect(live.content).toBe("AI person one\n");
});

test("how an edit came about is told: typed, pasted, accepted, undone", () => {
  const { server, live } = setUp("one\n");
  server.newest.onopen?.();
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.md", text: "", hash: "1", live });
  viewer.view.dispatch({ changes: { from: 0, insert: "a" }, userEvent: "input.type" });
  viewer.view.dispatch({ changes: { from: 0, insert: "b" }, userEvent: "input.paste" });
  viewer.view.dispatch({ changes: { from: 0, insert: "c" }, userEvent: "input.drop" });
  live.undo.stopCapturing();
  viewer.view.dispatch({ changes: { from: 0, insert: "d" }, annotations: accept.of({ id: "01jz".padEnd(26, "0"), text: "d", whole: true }) });
  live.undo.undo();
  live.undo.redo();
  expect(server.newest.kinds).toEqual([KIND.edit, KIND.editPasted, KIND.editPasted, KIND.editAccepted, KIND.editUndone, KIND.editUndone]);
  expect([live.content, server.doc.getText("text").toJSON()]).toEqual(["dcbaone\n", "dcbaone\n"]);
});

test("what waits for review stands at its words, also when it is told before they come", () => {
  const { server, live } = setUp("one\n");
  server.newest.onopen?.();
  const before = Y.encodeStateVector(server.doc);
  const text = server.doc.getText("text");
  text.insert(0, "new ");
  const place = (at: number, side: number) => Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, at, side)) as object;
  const hunks = [{ id: "h1", from: place(0, 0), to: place(3, -1), old: "old", new: "new", by: [{ editId: "e1", model: "sonnet", at: 1 }] }];
  const heard: number[] = [];
  live.onReview(() => { heard.push(live.hunks().length); });
  server.newest.say({ type: "review", channel: 1, review: "r1", hunks });
  server.newest.pass(KIND.editByAi, Y.encodeStateAsUpdate(server.doc, before));
  live.text.insert(0, "My ");
  expect([heard, live.review, live.hunks()]).toEqual([[0, 1], "r1", [{ id: "h1", from: 3, to: 6, old: "old", by: [{ editId: "e1", model: "sonnet", at: 1 }] }]]);
  const place3 = live.follow(3);
  live.text.insert(0, "Not ");
  expect(place3()).toBe(7);
});

test.each(["", "null", '{"type":"review","channel":1,"review":"r","hunks":[{"id":"h"}]}', '{"type":"review","channel":1,"review":"r"}', "{}", '{"type":"ack","channel":1}', '{"type":"opened","channel":"1"}'])("%j is not a message", (data) => {
  expect(() => readSaid(data)).toThrow();
});
