import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { Unsent, type UnsentRecord, type UnsentStore } from "./unsent";

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
  let edits = 0;
  doc.on("update", (update: Uint8Array) => {
    edits += 1;
    unsent.add(edits, update, () => ({ path: "a.md", epoch: "e1", content: doc.getText("text").toJSON() }));
  });
  return { unsent, write: (text: string) => { doc.getText("text").insert(doc.getText("text").length, text); } };
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

test("edits of another history stay until somebody has dealt with them", async () => {
  const store = new FakeUnsent();
  const { unsent, write } = typing(store);
  write("lost?");
  vi.advanceTimersByTime(300);
  unsent.setAside();
  unsent.stored(10);
  await unsent.settled();
  expect(store.records.size).toBe(1);
  unsent.forgetAside();
  await unsent.settled();
  expect(store.records.size).toBe(0);
});
