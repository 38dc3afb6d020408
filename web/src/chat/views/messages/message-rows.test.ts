import { expect, test } from "vitest";
import { answerEntry, userEntry } from "../../../fakes/fake-chats";
import { type Item, itemsOf } from "../../state/chat-items";
import { GAP, Heights } from "./heights";
import { inSight, nextPlaces, placesOf, rowsOf } from "./message-rows";

const NOBODY: ReadonlySet<string> = new Set();

/** Messages of 100 px, as they were measured. */
function messages(count: number, first = 1): { items: Item[]; heights: Heights } {
  const items = itemsOf(Array.from({ length: count }, (_, at) => userEntry(first + at, "Words", { turnId: `t${String(first + at)}` })));
  const heights = new Heights();
  heights.take(items);
  for (const { key } of items) heights.note(key, 100);
  return { items, heights };
}

test("a place is found by its height, and a message that grows moves only what follows", () => {
  const { items, heights } = messages(5000);
  expect([heights.startOf(0), heights.startOf(1), heights.at(0), heights.at(119), heights.at(120), heights.at(10 ** 9)]).toEqual([0, 120, 0, 0, 1, 4999]);
  heights.note(items[2]?.key ?? "", 300);
  expect([heights.startOf(2), heights.startOf(3), heights.startOf(5000)]).toEqual([240, 560, 5000 * 120 + 200]);
});

test("what is read earlier comes before, and what was measured stays known", () => {
  const { items, heights } = messages(10, 101);
  const earlier = itemsOf([userEntry(99, "x".repeat(800), { turnId: "t99" }), answerEntry(100, "So.", { turnId: "t99" })]);
  heights.take([...earlier, ...items]);
  expect([heights.count, heights.placeOf(items[0]?.key ?? ""), heights.startOf(3) - heights.startOf(2)]).toEqual([12, 2, 120]);
  heights.take(items.slice(0, 4));
  expect([heights.count, heights.placeOf(items[4]?.key ?? ""), heights.total]).toEqual([4, -1, 480]);
});

test("rows keep the room of what is not in the page, to the pixel, and what is held stands in its place", () => {
  const { items, heights } = messages(1000);
  const held = new Set([items[10]?.key ?? "", items[700]?.key ?? ""]);
  const rows = rowsOf(items, heights, { from: 500, to: 520 }, held, null);
  const tall = rows.reduce((sum, row) => sum + (row.kind === "room" ? row.height : 100) + GAP, -GAP);
  expect([rows.filter((row) => row.kind === "message").length, tall]).toEqual([22, 1000 * 120 - GAP]);
  expect(rows.map((row) => row.kind === "room").indexOf(false)).toBe(1);
  expect(rowsOf(items, heights, { from: 500, to: 520 }, held, null).filter((row) => row.kind === "message").every((row) => rows.includes(row))).toBe(true);
});

test("an answer that is being written stands in the page only with the end", () => {
  const { items, heights } = messages(100);
  const [now] = itemsOf([answerEntry(200, "Half", { turnId: "t200" })]);
  if (!now) throw new Error("There is no answer.");
  expect(rowsOf(items, heights, { from: 90, to: 100 }, NOBODY, now).at(-1)?.key).toBe(now.key);
  expect(rowsOf(items, heights, { from: 0, to: 10 }, NOBODY, now).at(-1)?.kind).toBe("room");
});

test("a jump shows what is in sight at once and the rest in small steps, until nothing is left to do", () => {
  const { heights } = messages(5000);
  const top = 2000 * 120;
  expect(placesOf({ from: null, to: "gone" }, heights)).toEqual({ from: 0, to: 5000 });
  let places = { from: 4990, to: 5000 };
  const sizes: number[] = [];
  for (let next = nextPlaces(places, heights, top, top + 800); next; next = nextPlaces(places, heights, top, top + 800)) {
    sizes.push(next.to - next.from - (sizes.length > 0 ? places.to - places.from : 0));
    places = next;
  }
  const seen = inSight(heights, top, top + 800, 350);
  expect([places.from <= seen.from, places.to >= seen.to, Math.max(...sizes) <= 24, sizes.length > 0]).toEqual([true, true, true, true]);
});
