import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { takes, Unsent, type UnsentRecord, type UnsentStore } from "./unsent";

/** A browser's database, shared by the tabs of a test. */
class FakeUnsent implements UnsentStore {
  readonly records = new Map<string, UnsentRecord>();

  of(address: string, path: string): Promise<UnsentRecord[]> {
    return Promise.resolve([...this.records.values()].filter((one) => one.address === address && one.path === path));
  }

  put(record: UnsentRecord): Promise<void> {
    this.records.set(record.key, record);
    return Promise.resolve();
  }

  remove({ key, stamp }: Pick<UnsentRecord, "key" | "stamp">): Promise<void> {
    if (this.records.get(key)?.stamp === stamp) this.records.delete(key);
    return Promise.resolve();
  }
}

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

/** A text that is typed in without a server. */
function typing(store: FakeUnsent) {
  const doc = new Y.Doc();
  const unsent = new Unsent(store, "ws://a");
  const text = { path: "a.md", epoch: "e1", get content() { return doc.getText("text").toJSON(); } };
  let edits = 0;
  doc.on("beforeTransaction", () => { unsent.before(() => text.content); });
  doc.on("update", (update: Uint8Array) => {
    edits += 1;
    unsent.add(edits, update, text);
  });
  return { unsent, text, write: (words: string) => { doc.getText("text").insert(doc.getText("text").length, words); } };
}

const kept = async (store: FakeUnsent) => {
  const doc = new Y.Doc();
  for (const { update } of await store.of("ws://a", "a.md")) Y.applyUpdate(doc, update);
  return doc.getText("text").toJSON();
};

test("what is not stored soon is kept, and goes once it is stored", async () => {
  const store = new FakeUnsent();
  const { unsent, write } = typing(store);
  write("one ");
  write("two ");
  expect(store.records.size).toBe(0);
  vi.advanceTimersByTime(300);
  await unsent.settled();
  write("three");
  vi.advanceTimersByTime(300);
  await unsent.settled();
  expect([await kept(store), store.records.size]).toEqual(["one two three", 1]);
  unsent.stored(3);
  await unsent.settled();
  expect(store.records.size).toBe(0);
});

test("whoever types on writes nothing down while each edit is stored in time", async () => {
  const store = new FakeUnsent();
  const { unsent, write } = typing(store);
  const put = vi.spyOn(store, "put");
  for (let edit = 1; edit <= 20; edit += 1) {
    write("a");
    vi.advanceTimersByTime(60);
    // The one before: this one is still on its way.
    unsent.stored(edit - 1);
  }
  await unsent.settled();
  expect(put).not.toHaveBeenCalled();
  vi.advanceTimersByTime(240);
  await unsent.settled();
  expect([put.mock.calls.length, [...store.records.values()].map(({ content }) => content)]).toEqual([1, ["a".repeat(20)]]);
});

test("edits that the server stores at once are never written down", async () => {
  const store = new FakeUnsent();
  const { unsent, write } = typing(store);
  write("quick");
  unsent.stored(1);
  vi.advanceTimersByTime(300);
  await unsent.settled();
  expect(store.records.size).toBe(0);
});

test("two tabs keep what each has, and what one of them writes again is not removed for what was there before", async () => {
  const store = new FakeUnsent();
  const [one, other] = [typing(store), typing(store)];
  one.write("mine");
  other.write("yours");
  vi.advanceTimersByTime(300);
  await Promise.all([one.unsent.settled(), other.unsent.settled()]);
  expect(store.records.size).toBe(2);
  const reader = new Unsent(store, "ws://a");
  for (const record of await reader.left("a.md")) reader.took(record, 1);
  one.write(" and more");
  vi.advanceTimersByTime(300);
  await one.unsent.settled();
  reader.stored(1);
  await reader.settled();
  expect([store.records.size, await kept(store)]).toEqual([1, "mine and more"]);
});

test("edits of another history stay until somebody has dealt with them, with the text they were made on", async () => {
  const store = new FakeUnsent();
  const { unsent, text, write } = typing(store);
  write("stored. ");
  unsent.stored(1);
  write("lost?");
  unsent.setAside(text);
  unsent.stored(10);
  await unsent.settled();
  expect([...store.records.values()].map(({ base, content }) => [base, content])).toEqual([["stored. ", "stored. lost?"]]);
  expect([unsent.aside?.content, await unsent.left("a.md")]).toEqual(["stored. lost?", []]);
  unsent.settleAside(11);
  unsent.stored(10);
  await unsent.settled();
  expect([unsent.aside, store.records.size]).toEqual([null, 1]);
  unsent.stored(11);
  await unsent.settled();
  expect(store.records.size).toBe(0);
});

test("a text that lacks what edits build on does not take them", () => {
  const [doc, fresh] = [new Y.Doc(), new Y.Doc()];
  doc.getText("text").insert(0, "one");
  Y.applyUpdate(fresh, Y.encodeStateAsUpdate(doc));
  doc.getText("text").insert(3, " two");
  const before = Y.encodeStateVector(doc);
  doc.getText("text").insert(7, " three");
  const update = Y.encodeStateAsUpdate(doc, before);
  expect([takes(doc, update), takes(fresh, update), fresh.getText("text").toJSON()]).toEqual([true, false, "one"]);
});

test("a browser that keeps nothing is no reason to stop", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const refuse = () => Promise.reject(new DOMException("Not here.", "InvalidStateError"));
  const unsent = new Unsent({ of: refuse, put: refuse, remove: refuse }, "ws://a");
  unsent.add(1, new Uint8Array([0, 0]), { path: "a.md", epoch: "e", content: "" });
  vi.advanceTimersByTime(300);
  await unsent.settled();
  expect([await unsent.left("a.md"), warned.mock.calls.length]).toEqual([[], 2]);
  warned.mockRestore();
});
