import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeEvents } from "../../fakes/fake-events";
import type { ChatEvent } from "../resources/chats";
import { ChatStream, readChatEvent } from "./chat-stream";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function following(after: number) {
  const events = new FakeEvents();
  const heard: ChatEvent[] = [];
  const stream = new ChatStream("c 1", (event) => heard.push(event), events.open);
  stream.follow(after);
  return { events, heard, stream };
}

const renamed = (seq: number) => ({ kind: "chat", seq, title: "Tides", model: null });

test("a chat is followed from after what is known", () => {
  const { events, heard } = following(7);
  events.chat.say("chat", renamed(8));
  expect([events.chat.url, heard]).toEqual(["/api/v1/chats/c%201/events?after=7", [renamed(8)]]);
});

test("after a drop it resumes exactly behind the last event, with growing pauses", () => {
  const { events } = following(7);
  events.chat.say("chat", renamed(8));
  events.chat.fail();
  vi.advanceTimersByTime(499);
  expect(events.sources).toHaveLength(1);
  vi.advanceTimersByTime(1);
  events.chat.fail();
  vi.advanceTimersByTime(1000);
  expect(events.sources.map((source) => source.url.split("after=")[1])).toEqual(["7", "8", "8"]);
});

test("a stopped stream stays silent", () => {
  const { events, stream } = following(0);
  stream.stop();
  events.chat.fail();
  vi.runAllTimers();
  expect([events.sources.length, events.chat.closed]).toEqual([1, true]);
  stream.retryNow();
  expect(events.sources).toHaveLength(1);
});

test("who comes back does not wait for the next attempt", () => {
  const { events, stream } = following(0);
  stream.retryNow();
  expect(events.sources).toHaveLength(1);
  events.chat.fail();
  stream.retryNow();
  stream.retryNow();
  vi.runAllTimers();
  expect(events.sources).toHaveLength(2);
});

test.each(["[]", "null", '{"kind":"text"}', '{"kind":"unheard","seq":1}'])("%s is no event of a chat", (data) => {
  expect(() => readChatEvent(data)).toThrow(TypeError);
});
