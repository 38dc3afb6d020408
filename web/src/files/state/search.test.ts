import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestFailed, type SearchMatch, type SearchOptions } from "../../api";
import { TextSearch } from "./search.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const match = (path: string, line: number): SearchMatch => ({ path, line, column: 1, text: "level", ranges: [[0, 5]] });

test("matches are grouped by file, in the order found", async () => {
  const asked: SearchOptions[] = [];
  const search = new TextSearch((options) => {
    asked.push(options);
    return Promise.resolve({ items: [match("a", 1), match("b", 2), match("a", 9)], truncated: true });
  });
  search.query = "level";
  search.regex = true;
  search.ask();
  await vi.runAllTimersAsync();
  expect(asked).toEqual([{ query: "level", regex: true, caseSensitive: false }]);
  expect(search.groups).toEqual([{ path: "a", matches: [match("a", 1), match("a", 9)] }, { path: "b", matches: [match("b", 2)] }]);
});

test("an expression that cannot be read is told, and clearing the field clears it", async () => {
  const problem = { type: "about:blank", title: "", status: 422, detail: "The expression is not complete." };
  const search = new TextSearch(() => Promise.reject(new RequestFailed(problem)));
  search.query = "(";
  search.ask();
  await vi.runAllTimersAsync();
  expect([search.problem?.detail, search.running]).toEqual(["The expression is not complete.", false]);
  search.query = "";
  search.ask();
  expect([search.problem, search.results]).toEqual([null, null]);
});
