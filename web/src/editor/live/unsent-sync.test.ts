import { expect, test, vi } from "vitest";
import * as Y from "yjs";
import { FakeTextServer } from "./fake-text-server";
import type { TextStatus } from "./live-text";
import { DocumentSync } from "./sync";
import type { UnsentRecord, UnsentStore } from "./unsent";

/** A page that types offline and is gone, and the next one. */
async function typedBefore(words: string, meanwhile: (server: FakeTextServer) => void) {
  vi.useFakeTimers();
  const records = new Map<string, UnsentRecord>();
  const store: UnsentStore = {
    of: () => Promise.resolve([...records.values()]),
    put: (record) => { records.set(record.key, record); return Promise.resolve(); },
    remove: ({ key }) => { records.delete(key); return Promise.resolve(); },
  };
  const server = new FakeTextServer("one\ntwo\nthree\n");
  const first = new DocumentSync("ws://test", { onStatus: () => undefined }, server.open, store);
  const live = first.text("a.md");
  server.newest.onopen?.();
  server.newest.close();
  live.text.insert(0, words);
  await vi.advanceTimersByTimeAsync(300);
  first.close();
  meanwhile(server);
  let told: TextStatus | undefined;
  const sync = new DocumentSync("ws://test", { onStatus: (_path, status) => { told = status; } }, server.open, store);
  const text = sync.text("a.md");
  server.newest.onopen?.();
  await vi.advanceTimersByTimeAsync(300);
  return { server, sync, text, records, status: () => told };
}

test("a page that ended offline: the next one brings its edits in", async () => {
  const { server, text, records, status } = await typedBefore("mine ", () => undefined);
  expect([text.content, server.text, records.size, status()?.left]).toEqual([server.text, "mine one\ntwo\nthree\n", 0, null]);
});

test("with another history they are offered, unless they are in it already", async () => {
  const renew = (change: (text: Y.Text) => void) => (server: FakeTextServer) => {
    server.epoch = "e2";
    change(server.doc.getText("text"));
  };
  const other = await typedBefore("mine ", renew((text) => { text.insert(8, "and "); }));
  expect([other.text.content, other.records.size, other.status()?.left?.mine]).toEqual(["one\ntwo\nand three\n", 1, "mine one\ntwo\nthree\n"]);
  expect(other.sync.takeLeft("a.md")).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect([other.server.text, other.records.size]).toEqual(["mine one\ntwo\nand three\n", 0]);
  const same = await typedBefore("mine ", renew((text) => { text.insert(0, "mine "); }));
  expect([same.server.text, same.records.size, same.status()?.left]).toEqual(["mine one\ntwo\nthree\n", 0, null]);
});

test("edits whose ground this history lacks are offered, too", async () => {
  const { text, status, sync, server } = await typedBefore("mine ", (server) => {
    const fresh = new Y.Doc();
    fresh.getText("text").insert(0, "one\ntwo\nthree\n");
    Object.assign(server, { doc: fresh });
  });
  expect([text.content, status()?.left?.mine]).toEqual(["one\ntwo\nthree\n", "mine one\ntwo\nthree\n"]);
  expect([sync.takeLeft("a.md"), server.text]).toEqual([true, "mine one\ntwo\nthree\n"]);
});
