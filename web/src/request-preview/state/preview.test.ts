import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type NewTurn, type Preview, RequestFailed, unreachable } from "../../api";
import { part, preview } from "../../fakes/fake-previews";
import { breakWords, NextRequest, requestLevel, requestPrice, requestWords } from "./preview.svelte";
import { cachedParts, partName, partPrice, partWords } from "../labels";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const turn = { text: "Hello." } as NewTurn;
const told = preview([part("message", "your message")]);

function setUp(answers: (Preview | Error)[]) {
  const asked: boolean[] = [];
  const next = new NextRequest((_turn, texts) => {
    asked.push(texts);
    const answer = answers.shift() ?? told;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }, () => turn);
  return { next, asked };
}

test("it is asked 300 ms after the last change, once", async () => {
  const { next, asked } = setUp([]);
  for (let change = 0; change < 3; change += 1) {
    next.measure();
    await vi.advanceTimersByTimeAsync(299);
  }
  expect([asked, next.preview]).toEqual([[], null]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, next.preview]).toEqual([[false], told]);
});

test("while somebody looks the texts come along, at once, and again after each change", async () => {
  const { next, asked } = setUp([]);
  next.measure();
  const lookAway = next.look();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([true]);
  next.measure();
  await vi.advanceTimersByTimeAsync(300);
  lookAway();
  next.measure();
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toEqual([true, true, false]);
});

test("what was told stands while the server is away, and goes when it says why", async () => {
  const refusal = new RequestFailed({ type: "", title: "Not possible now", status: 409, detail: "There is no model.", remedy: null, errors: [] });
  const { next } = setUp([told, new RequestFailed(unreachable()), refusal]);
  for (const [shown, problem] of [[told, undefined], [told, 0], [null, 409]] as const) {
    next.measure();
    await vi.advanceTimersByTimeAsync(300);
    expect([next.preview, next.problem?.status]).toEqual([shown, problem]);
  }
});

test("from 80 % on the request is nearly too long, and over where it can't be sent", () => {
  const of = (tokens: number, tooLong: string | null = null) => requestLevel(preview([part("message", "m", { tokens })], { window: 1000, tooLong }));
  expect([of(799), of(800), of(1001), of(900, "Too long.")]).toEqual(["normal", "high", "over", "over"]);
});

test("the price says what it depends on, and an unknown one is not zero", () => {
  const plain = preview([part("message", "m", { tokens: 18_400 })]);
  expect([requestPrice(plain), requestWords(plain)]).toEqual(["$0.06", "18.4k of 200k tokens, $0.06 without the answer"]);
  const kept = { ...plain, cachedTokens: 17_000, costIfCachedMicros: 9300 };
  expect(requestWords(kept)).toBe("18.4k of 200k tokens, $0.0093 without the answer if the provider still remembers 17k of them, else $0.06");
  const unknown = { ...plain, costMicros: null, costIfCachedMicros: null };
  expect([requestPrice(unknown), requestWords(unknown)]).toEqual(["", "18.4k of 200k tokens, at an unknown price"]);
});

test("a broken cache is told with what it costs", () => {
  const why = "The tools changed: fetch_url added.";
  const broken = (tokens: number, costMicros: number | null) => breakWords({ ...told, cacheBreak: { part: 0, why, tokens, costMicros } });
  expect(broken(12_000, 40_000)).toBe(`${why} 12k tokens are read anew, for $0.04 more.`);
  expect([broken(12_000, null), broken(0, 0), breakWords(told)]).toEqual([`${why} 12k tokens are read anew.`, why, ""]);
});

test("parts are named, and told from others by how they begin", () => {
  expect([partName(part("meta", "workspace")), partName(part("file", "notes/a.md"))]).toEqual(["Workspace", "notes/a.md"]);
  expect(partWords(part("message", "your message", { reason: "Said earlier", isCached: true, text: "\nWhy?\nBecause." }))).toBe("Said earlier, remembered: Why?");
  expect(partWords(part("file", "a.md", { reason: "Attached to this message" }))).toBe("Attached to this message");
});

test("a price too small to read is not written out, and nothing is said of what costs nothing", () => {
  const price = (costMicros: number | null, whole: number | null) => partPrice(part("file", "f", { costMicros }), preview([], { costIfCachedMicros: whole }));
  expect([price(12_400, 20_000), price(87, 20_000), price(0, 20_000), price(0, 0), price(null, null)]).toEqual(["$0.01", "< $0.0001", "< $0.0001", "$0.00", "unknown"]);
});

test("what is remembered ends with the first part that is not", () => {
  const parts = [part("tools", "tools", { isCached: true }), part("system", "s"), part("file", "f", { isCached: true })];
  expect([cachedParts(preview(parts)), cachedParts(preview(parts.slice(0, 1)))]).toEqual([1, 1]);
});
