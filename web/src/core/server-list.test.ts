import { expect, test } from "vitest";
import { RequestFailed, unreachable } from "../api";
import { ServerList } from "./server-list.svelte";

interface Item {
  id: string;
  text: string;
}

/** A list whose reads are answered by hand. */
function setUp() {
  const reads: { answer(items: Item[], nextCursor?: string | null): void; fail(error: unknown): void }[] = [];
  const listing = new ServerList<Item>(() => new Promise((answer, fail) => reads.push({ answer: (items, nextCursor = null) => { answer({ items, nextCursor }); }, fail })));
  return { listing, reads };
}

const item = (id: string, text = "") => ({ id, text });
const settle = () => new Promise((done) => setTimeout(done));

test("every page is read before the list shows", async () => {
  const { listing, reads } = setUp();
  const loaded = listing.load();
  reads[0]?.answer([item("a")], "more");
  await settle();
  expect([listing.items, listing.isLoaded]).toEqual([[], false]);
  reads[1]?.answer([item("b")]);
  await loaded;
  expect([listing.items.map(({ id }) => id), listing.isLoaded]).toEqual([["a", "b"], true]);
});

test("changes told during a read are one more read after it", async () => {
  const { listing, reads } = setUp();
  const loaded = listing.load();
  void listing.load();
  void listing.load();
  reads[0]?.answer([item("a")]);
  await settle();
  expect([listing.items, reads.length]).toEqual([[item("a")], 2]);
  reads[1]?.answer([item("a"), item("b")]);
  await loaded;
  expect(listing.items).toHaveLength(2);
});

test("a read that began before a change of this page's own does not take it back", async () => {
  const { listing, reads } = setUp();
  const loaded = listing.load();
  listing.put(item("mine"));
  reads[0]?.answer([]);
  await settle();
  expect(listing.items).toEqual([item("mine")]);
  reads[1]?.answer([item("mine", "stored")]);
  await loaded;
  expect(listing.items).toEqual([item("mine", "stored")]);
});

test("a list that could not be read says why, keeps what it had, and can be read again", async () => {
  const { listing, reads } = setUp();
  const loaded = listing.load();
  reads[0]?.answer([item("a")]);
  await loaded;
  const failed = listing.load();
  reads[1]?.fail(new RequestFailed(unreachable()));
  await failed;
  expect([listing.problem?.detail, listing.items]).toEqual(["Recto does not answer.", [item("a")]]);
  const again = listing.load();
  reads[2]?.answer([]);
  await again;
  expect([listing.problem, listing.items]).toEqual([null, []]);
});
