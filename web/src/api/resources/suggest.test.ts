import { ReadableStream as Stream } from "node:stream/web";
import { expect, test } from "vitest";
import { readEvents, readSuggestEvent, SuggestClient } from "./suggest";
import { Wire } from "../wire";

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  const stream = new Stream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return stream as ReadableStream<Uint8Array>;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const ONE = 'event: suggestion\ndata: {"id": "s1", "index": 0, "text": " Größe 😀\\n", "confidence": 0.8, "confidenceSource": "logprobs", "confidenceReason": ""}\n\n';
const DONE = 'event: done\ndata: {"id": "s1", "count": 1, "confidences": [{"index": 0, "confidence": null, "confidenceSource": "unknown", "confidenceReason": "Not told."}], "reason": null, "unansweredInstructions": ["AGENTS.md"]}\n\n';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("events come out whole however the bytes are cut", async () => {
  const whole = bytes(`: a comment\n\n${ONE}${DONE}`);
  for (let cut = 1; cut < whole.length; cut += 1) {
    const events = await all(readEvents(streamOf(whole.slice(0, cut), whole.slice(cut))));
    expect(events.map(({ event }) => event)).toEqual(["message", "suggestion", "done"]);
    expect(events[1]?.data).toContain("Größe 😀");
  }
});

test("line ends of all kinds and several lines of data are read, and an event cut off is none", async () => {
  const text = "event: done\r\ndata: one\r\ndata:two\r\n\r\nevent: suggestion\ndata: half";
  const whole = bytes(text);
  for (let cut = 1; cut < whole.length; cut += 1) expect(await all(readEvents(streamOf(whole.slice(0, cut), whole.slice(cut))))).toEqual([{ event: "done", data: "one\ntwo" }]);
});

test("a question is posted, and its answer read", async () => {
  const asked: [string, unknown][] = [];
  const wire = new Wire({
    fetch: (input, init) => {
      asked.push([input as string, JSON.parse(init?.body as string)]);
      return Promise.resolve(new Response(streamOf(bytes(ONE), bytes("event: ping\ndata: {}\n\n"), bytes(DONE))));
    },
  });
  const question = { projectId: "p1", path: "a.md", prefix: "The", suffix: "", language: null };
  const events = await all(new SuggestClient(wire).ask(question, new AbortController().signal));
  expect(asked).toEqual([["/api/v1/suggest", question]]);
  expect(events).toEqual([
    { kind: "suggestion", id: "s1", index: 0, text: " Größe 😀\n", confidence: 0.8, confidenceSource: "logprobs", confidenceReason: "" },
    { kind: "done", id: "s1", count: 1, reason: null, unanswered: ["AGENTS.md"], confidences: new Map([[0, { confidence: null, confidenceSource: "unknown", confidenceReason: "Not told." }]]) },
  ]);
});

test("whoever stops listening ends the request", async () => {
  let isCancelled = false;
  const stream = new Stream<Uint8Array>({
    pull(controller) { controller.enqueue(bytes(ONE)); },
    cancel() { isCancelled = true; },
  }) as ReadableStream<Uint8Array>;
  for await (const event of readEvents(stream)) {
    expect(event.event).toBe("suggestion");
    break;
  }
  expect(isCancelled).toBe(true);
});

test.each(["null", "[]", "{}", '{"id": "s1"}', '{"id": 1, "index": 0, "text": ""}', "nonsense"])("%s is no suggestion", (data) => {
  expect(() => readSuggestEvent("suggestion", data)).toThrow();
});
