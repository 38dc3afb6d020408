import { expect, test } from "vitest";
import type { Tool } from "../api";
import { answerEntry } from "../fakes/fake-chats";
import { attachedName, chatTitle, useOf, useText, waitingText } from "./labels";
import { windowLevel } from "../request-preview/state/preview.svelte";
import { confidenceText } from "../core/confidence";
import { secondsText, whenText } from "../core/times";
import { finishedSentences } from "./state/sentences";
import { greetingAt, suggestionsFor } from "./state/starters";
import { changeCounts, exactOf, targetOf, verbOf } from "../tools/labels";

const tool: Tool = { name: "move_file", title: "", description: "", group: "workspace", changes: true, reachesOut: false, permission: "allow", rules: [], doing: "Moving", done: "Moved", main: "path" };

test("how far a model is in its reading is told, where it says so", () => {
  expect([null, { read: 0, total: 0 }, { read: 0, total: 700 }, { read: 699, total: 700 }].map(waitingText)).toEqual([
    "Waiting for the model", "Loading the model…", "Reading your message: 0 %", "Reading your message: 99 %",
  ]);
});

test("an unknown price makes the whole unknown, never free", () => {
  const answers = [answerEntry(1, ""), answerEntry(2, "", { costMicros: null, usage: null })];
  expect(useText(useOf(answers))).toBe("≥ 9.3k in, 412 out · cost unknown");
  expect(useText(useOf(answers.slice(1)))).toBe("tokens unknown · cost unknown");
});

test("what was booked for a stopped answer is marked as an estimate", () => {
  const usage = { input: 3000, cacheRead: 0, cacheWrite: 0, output: 12, reasoning: 0, source: "estimated" } as const;
  expect(useText(useOf([answerEntry(1, "", { usage, costMicros: 9180 })]))).toBe("3k in, 12 out, estimated · $0.0092");
});

test.each([[0.86, "High confidence 0.86"], [0.8, "High confidence 0.80"], [0.74, "Medium confidence 0.74"], [0.41, "Low confidence 0.41"]])("%d is %s", (value, words) => {
  expect(confidenceText(value)).toBe(words);
});

test.each([[0, "0 s"], [0.2, "1 s"], [6, "6 s"], [125, "2 min 5 s"]])("%d seconds are %s", (seconds, words) => {
  expect(secondsText(seconds)).toBe(words);
});

test("times are as near as they can be", () => {
  const now = new Date(2026, 10, 15, 12, 0);
  expect([whenText(new Date(2026, 10, 14, 23, 0).getTime(), now), whenText(now.getTime(), now)]).toEqual(["yesterday", now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })]);
});

test("the window is nearly full from 80 % on", () => {
  expect([windowLevel(79, 100), windowLevel(80, 100), windowLevel(101, 100)]).toEqual(["normal", "high", "over"]);
});

test("a chip says what of the file went along", () => {
  const names = [{ cut: null, origin: "file" }, { cut: "first 50 KB", origin: "file" }, { cut: null, origin: "selection" }] as const;
  expect(names.map((given) => attachedName({ path: "notes/a.md", size: 1, ...given }))).toEqual(["a.md", "a.md, first 50 KB", "a.md, a passage"]);
  expect(chatTitle({ title: "" })).toBe("New chat");
});

test("a call is told by its verb and what it is about", () => {
  expect([verbOf("move_file", tool, true), verbOf("move_file", tool, false), verbOf("gone", null, false)]).toEqual(["Moving", "Moved", "Used gone"]);
  expect(targetOf({ path: "a.md", new_path: "b.md" }, tool)).toBe("a.md → b.md");
  expect(targetOf({ query: "tide" }, { ...tool, main: "query" })).toBe("“tide”");
  expect(targetOf({ path: 3 }, tool)).toBe("");
  expect(exactOf({ command: "ls -la", timeout_s: 3 })).toBe("ls -la\ntimeout_s: 3");
});

test.each([["+3 −2", { added: "+3", removed: "−2" }], ["+3 -2", { added: "+3", removed: "−2" }], ["84 lines", null]])("%s counts lines or does not", (fact, counts) => {
  expect(changeCounts(fact)).toEqual(counts);
});

test("only whole sentences are spoken, without the signs of Markdown", () => {
  expect(finishedSentences("Yes, it al", 0, false)).toEqual({ spoken: "", upTo: 0 });
  expect(finishedSentences("Yes, **it does.** And", 0, false)).toEqual({ spoken: "Yes, it does.", upTo: 18 });
  expect(finishedSentences("Yes. It al", 0, false)).toEqual({ spoken: "Yes.", upTo: 5 });
  expect(finishedSentences("Yes. It also `does`", 5, true)).toEqual({ spoken: "It also does", upTo: 19 });
});

test("an empty chat offers what fits the open file", () => {
  expect(suggestionsFor(null, "tides").map((one) => one.fact)).toEqual(["tides", "tides", "tides"]);
  expect(suggestionsFor("src/fit.py", "tides")[0]).toEqual({ text: "Explain what fit.py does, and how", fact: "src", files: ["src/fit.py"] });
  expect(suggestionsFor("notes.md", "tides").map((one) => one.files.length)).toEqual([1, 1, 0]);
  const small = { hasTools: false };
  expect(suggestionsFor(null, "tides", small).map((one) => one.fact)).toEqual(["tides"]);
  expect(suggestionsFor(null, "tides", { ...small, hasReadme: true }).map((one) => one.fact)).toEqual(["README", "README"]);
  // Nothing is asked about a folder in which nothing is.
  expect(suggestionsFor(null, "tides", { isEmpty: true }).map((one) => one.text)).not.toContainEqual(expect.stringContaining("in this folder"));
  expect(suggestionsFor(null, "tides", { ...small, isEmpty: true })).toEqual([]);
  expect([greetingAt(3), greetingAt(9), greetingAt(14), greetingAt(20)]).toEqual(["Good evening.", "Good morning.", "Good afternoon.", "Good evening."]);
});
