import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import { EventStream, readEvent, RETRY_MS, type StreamEvent } from "./events";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function started() {
  const events = new FakeEvents();
  const heard: StreamEvent[] = [];
  let downs = 0;
  const stream = new EventStream({ onEvent: (event) => heard.push(event), onDown: () => { downs += 1; } }, events.open);
  stream.start();
  return { events, heard, stream, downs: () => downs };
}

test("each kind of event is read", () => {
  expect(readEvent("hello", '{"version":"0.1.0","storeAnswers":true}')).toEqual({ kind: "hello", version: "0.1.0", storeAnswers: true });
  expect(readEvent("store", '{"answers":false}')).toEqual({ kind: "store", answers: false });
  expect(readEvent("change", '{"seq":7,"kind":"project","id":"p1","projectId":"p1","action":"updated","version":2}')).toEqual({
    kind: "change", seq: 7, subject: "project", id: "p1", action: "updated",
  });
  expect(readEvent("files", '{"projectId":"p1","folders":["","a"],"overflow":false,"note":null,"moved":[{"path":"a","newPath":"b"}],"removed":["c"]}')).toEqual({ kind: "files", projectId: "p1", folders: ["", "a"], overflow: false, note: null, moved: [{ path: "a", newPath: "b" }], removed: ["c"] });
});

test.each(['[]', '{"version":1}', "null", '"text"'])("data of another shape fails at once: %s", (data) => {
  expect(() => readEvent("hello", data)).toThrow(TypeError);
});

test("a lost stream comes back after growing pauses and starts over after hello", () => {
  const { events, downs } = started();
  for (const pause of [...RETRY_MS, 4000]) {
    const count = events.sources.length;
    events.newest.fail();
    vi.advanceTimersByTime(pause - 1);
    expect(events.sources.length).toBe(count);
    vi.advanceTimersByTime(1);
    expect(events.sources.length).toBe(count + 1);
  }
  expect(downs()).toBe(5);
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  events.newest.fail();
  vi.advanceTimersByTime(RETRY_MS[0]);
  expect(events.sources.length).toBe(7);
});

test("a stream resumes after the last numbered event", () => {
  const { events } = started();
  expect(events.newest.url).toBe("/api/v1/events");
  events.newest.say("change", { seq: 41, kind: "project", id: "p1", projectId: "p1", action: "created", version: 1 });
  events.newest.fail();
  vi.advanceTimersByTime(RETRY_MS[0]);
  expect(events.newest.url).toBe("/api/v1/events?after=41");
});

test("trying now skips the pause, and does nothing while connected", () => {
  const { events, stream } = started();
  stream.retryNow();
  expect(events.sources.length).toBe(1);
  events.newest.fail();
  stream.retryNow();
  expect(events.sources.length).toBe(2);
});

test("a stopped stream stays stopped", () => {
  const { events, stream, downs } = started();
  stream.stop();
  events.newest.fail();
  vi.advanceTimersByTime(60_000);
  expect([events.sources.length, events.newest.closed, downs()]).toEqual([1, true, 0]);
});
