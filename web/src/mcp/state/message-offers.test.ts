import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type McpCompletionRequest, type McpMessageOffers, RequestFailed, unreachable } from "../../api";
import { MessageOffers } from "./message-offers.svelte";
import { openVariable } from "./uri-template";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const SIGNAL = new AbortController().signal;
const WHO = { name: "who", description: "Who is greeted", required: true };
const MEMOS: McpMessageOffers = {
  serverId: "s1", server: "memos", problem: "",
  resources: [{ uri: "memo://one", name: "one", title: "", description: "", mediaType: null, size: null }],
  templates: [{ uriTemplate: "memo://{name}", name: "memos", title: "", description: "" }],
  prompts: [{ name: "greet", title: "", description: "Greets.", arguments: [WHO, { ...WHO, name: "how", required: false }] }, { name: "tides", title: "Tides", description: "", arguments: [] }],
};
const SLOW: McpMessageOffers = { serverId: "s2", server: "two words", problem: "It does not answer.", resources: MEMOS.resources, templates: [], prompts: [] };

function setUp(fails = false) {
  const asked: unknown[] = [];
  const offers = new MessageOffers({
    offers: (projectId) => { asked.push(projectId); return Promise.resolve([MEMOS, SLOW]); },
    prompt: (...given) => { asked.push(given); return fails ? Promise.reject(new RequestFailed(unreachable())) : Promise.resolve("Greet Ada."); },
    complete: (_project, _id, about: McpCompletionRequest) => { asked.push(about); return Promise.resolve({ values: ["Ada", "Alan"], hasMore: false }); },
  }, "p1");
  const words: string[] = [];
  return { offers, asked, words, target: { insert: (text: string) => { words.push(text); } } };
}

async function prompt(offers: MessageOffers, title: string) {
  const row = (await offers.prompts()).find((one) => one.title === title);
  if (!row) throw new Error(`no ${title}`);
  return row;
}

test("resources and forms of addresses are found by name, and an address goes on as its server completes it", async () => {
  const { offers, asked } = setUp();
  expect((await offers.mentions("mem", SIGNAL)).map(({ id, isPart }) => [id, isPart])).toEqual([["memos:memo://one", false], ["memos:memo://", true]]);
  expect(await offers.mentions("plan", SIGNAL)).toEqual([]);
  expect((await offers.mentions("memos:memo://A", SIGNAL)).map(({ id, isPart }) => [id, isPart])).toEqual([["memos:memo://Ada", false], ["memos:memo://Alan", false]]);
  expect(asked).toEqual(["p1", { kind: "resource", name: "memo://{name}", argument: "name", value: "A", known: {} }]);
  expect(await offers.silent()).toEqual(["two words"]);
  offers.forget();
  await offers.silent();
  expect(asked.filter((one) => one === "p1"), "asked anew once the menu has closed").toHaveLength(2);
});

test("a prompt's arguments are filled in and completed; what is needed is missed before anything is asked", async () => {
  const { offers, asked, words, target } = setUp();
  (await prompt(offers, "memos: greet")).run(target);
  const form = offers.filling;
  if (!form) throw new Error("no form");
  expect([await form.use(), form.isMissing("who"), form.isMissing("how")]).toEqual([false, true, false]);
  form.values["how"] = "loudly";
  form.type("who", "A");
  await vi.advanceTimersByTimeAsync(1000);
  expect([form.choices["who"], asked.at(-1)]).toEqual([["Ada", "Alan"], { kind: "prompt", name: "greet", argument: "who", value: "A", known: { how: "loudly" } }]);
  form.values = { who: "Ada", how: " " };
  expect([await form.use(), words, asked.at(-1)]).toEqual([true, ["Greet Ada."], ["p1", "s1", "greet", { who: "Ada" }]]);
});

test("a prompt that asks nothing is used at once; if that fails its form says why", async () => {
  const { offers, words, target } = setUp();
  (await prompt(offers, "memos: Tides")).run(target);
  await vi.advanceTimersByTimeAsync(0);
  expect([words, offers.filling]).toEqual([["Greet Ada."], null]);
  const broken = setUp(true);
  (await prompt(broken.offers, "memos: Tides")).run(broken.target);
  await vi.advanceTimersByTimeAsync(0);
  expect([broken.words, broken.offers.filling?.problem?.detail]).toEqual([[], "Recto does not answer."]);
});

test.each([
  ["a://{x}/b/{y}.txt", "a://one", { name: "x", value: "one", before: "a://", after: "/b/", hasMore: true, known: {} }],
  ["a://{x}/b/{y}.txt", "a://one/b/tw", { name: "y", value: "tw", before: "a://one/b/", after: ".txt", hasMore: false, known: { x: "one" } }],
  ["a://{+path}", "a://b/c", { name: "path", value: "b/c", before: "a://", after: "", hasMore: false, known: {} }],
  ["a://{x}.txt", "a://one.txt", null],
  ["a://{x}", "b://", null],
  ["a://plain", "a://plain", null],
  ["{".repeat(2000), "{".repeat(2000), null],
  ["a://{x:3}", "a://on", { name: "x", value: "on", before: "a://", after: "", hasMore: false, known: {} }],
])("%.40s goes on at %.40s", (template, uri, found) => {
  expect(openVariable(template, uri)).toEqual(found);
});
