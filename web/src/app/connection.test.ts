import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeEvents } from "../fakes/fake-events";
import { Connection } from "./connection.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function started() {
  const events = new FakeEvents({ greets: false });
  const heard: string[] = [];
  const listener = { onEvent: (event: { kind: string }) => heard.push(event.kind), onReturn: () => heard.push("return"), onDown: () => heard.push("down") };
  const connection = new Connection(listener, events.open);
  void connection.start();
  return { events, heard, connection };
}

test("hello makes it live, a failure offline, the next hello a return", () => {
  const { events, heard, connection } = started();
  expect(connection.state).toBe("connecting");
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect([connection.state, connection.version]).toEqual(["live", "0.1.0"]);
  events.newest.fail();
  expect(connection.state).toBe("offline");
  vi.advanceTimersByTime(500);
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(heard).toEqual(["hello", "down", "return", "hello"]);
});

test("a server that could not be heard at first is a return too", () => {
  const { events, heard } = started();
  events.newest.fail();
  vi.advanceTimersByTime(500);
  events.newest.say("hello", { version: "0.1.0", storeAnswers: true });
  expect(heard).toEqual(["down", "return", "hello"]);
});

test("an ended session asks for nothing more", () => {
  const { events, connection } = started();
  connection.end();
  connection.retryNow();
  vi.runAllTimers();
  expect([connection.state, events.sources.length, events.newest.closed]).toEqual(["ended", 1, true]);
});

test("who comes back to the page does not wait for the next attempt", () => {
  const { events, connection } = started();
  events.newest.fail();
  connection.retryNow();
  expect(events.sources.length).toBe(2);
});

test("a database that does not answer is known until it does, also before the greeting", () => {
  const { events, heard, connection } = started();
  events.newest.say("store", { answers: false });
  expect([connection.state, connection.storeAnswers]).toEqual(["connecting", false]);
  events.newest.say("hello", { version: "0.1.0", storeAnswers: false });
  expect([connection.state, connection.storeAnswers]).toEqual(["live", false]);
  events.newest.say("store", { answers: true });
  expect(connection.storeAnswers).toBe(true);
  expect(heard).toEqual(["store", "hello", "store"]);
});
