import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SocketSource } from "./socket-source";

/** A socket that a test speaks through. */
class FakeSocket {
  static readonly CONNECTING = 0;
  static made: FakeSocket[] = [];
  readonly url: string;
  readyState = 0;
  closes = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor(url: URL) {
    this.url = url.href;
    FakeSocket.made.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  close(): void {
    this.closes += 1;
  }
}

beforeEach(() => { FakeSocket.made = []; vi.stubGlobal("WebSocket", FakeSocket); });
afterEach(() => { vi.unstubAllGlobals(); });

function opened(path = "/api/v1/events?after=3") {
  const source = new SocketSource(path);
  const heard: string[] = [];
  for (const kind of ["open", "hello", "chat", "error"]) source.addEventListener(kind, ({ data }) => heard.push(`${kind}: ${data}`));
  const [socket] = FakeSocket.made as [FakeSocket];
  return { source, socket, heard };
}

test("each message is an event's name and its data, lines inside and all", () => {
  const { socket, heard } = opened();
  socket.open();
  socket.onmessage?.({ data: 'hello\n{"version":"1"}' });
  socket.onmessage?.({ data: "chat\n{\n}" });
  expect(heard).toEqual(["open: ", 'hello: {"version":"1"}', "chat: {\n}"]);
});

test("it asks the page's own server", () => {
  const { socket } = opened();
  expect(socket.url).toBe(`${location.origin.replace("http", "ws")}/api/v1/events?after=3`);
});

test("the end is an error, unless it was wanted", () => {
  const one = opened();
  one.socket.onclose?.();
  expect(one.heard).toEqual(["error: "]);
  FakeSocket.made = [];
  const other = opened();
  other.socket.open();
  other.source.close();
  other.socket.onclose?.();
  expect([other.heard, other.socket.closes]).toEqual([["open: "], 1]);
});

test("one that is not open yet is closed as soon as it is", () => {
  const { source, socket, heard } = opened();
  source.close();
  expect(socket.closes).toBe(0);
  socket.open();
  expect([socket.closes, heard]).toEqual([1, []]);
});
