import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type AuthorshipReport, RequestFailed, unreachable } from "../../api";
import { Authorship, REST_MS, TextAuthors } from "./authorship.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function setUp(answer: (path: string) => Promise<AuthorshipReport> = (path) => Promise.resolve(report(path))) {
  const asked: string[] = [];
  const authorship = new Authorship({
    read: (path) => {
      asked.push(path);
      return answer(path);
    },
    stored: () => Promise.resolve(),
  });
  return { authorship, authors: new TextAuthors(authorship), asked };
}

const report = (path: string): AuthorshipReport => ({ path, spans: [], authors: [], characters: 10, byAi: 3, aiEditedSince: 0 });
const rest = () => vi.advanceTimersByTimeAsync(REST_MS);

test("authors are asked for when a text is opened, and again when it rests", async () => {
  const { authors, asked } = setUp();
  authors.open("a.md");
  await vi.advanceTimersByTimeAsync(0);
  for (let key = 0; key < 4; key += 1) {
    authors.changed();
    await vi.advanceTimersByTimeAsync(REST_MS / 2);
  }
  expect([asked, authors.report?.byAi]).toEqual([["a.md"], 3]);
  await rest();
  expect(asked).toEqual(["a.md", "a.md"]);
});

test("an answer about another moment is asked for again, but not for ever", async () => {
  const { authors, asked } = setUp();
  authors.open("a.md");
  await rest();
  for (let round = 0; round < 10; round += 1) {
    authors.missed();
    await rest();
  }
  expect(asked).toHaveLength(3);
});

test("what can't be told is not shown, and a text that is not live is not asked about", async () => {
  const { authors, asked } = setUp(() => Promise.reject(new RequestFailed(unreachable())));
  authors.open("a.md");
  await rest();
  authors.open(null);
  await rest();
  expect([authors.report, asked]).toEqual([null, ["a.md"]]);
});

test("whether authors are shown is remembered", () => {
  setUp().authorship.isShown = true;
  expect(setUp().authorship.isShown).toBe(true);
});
