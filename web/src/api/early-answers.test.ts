import { expect, test, vi } from "vitest";
import { EarlyAnswers } from "./early-answers";

/** A server whose lines come when the test says so. */
function slow() {
  const parts: { done: boolean; value?: Uint8Array }[] = [];
  let wake: () => void = () => undefined;
  const read = async () => {
    while (parts.length === 0) await new Promise<void>((resolve) => { wake = resolve; });
    return parts.shift();
  };
  const response = { ok: true, body: { getReader: () => ({ read }) } } as unknown as Response;
  const put = (part: { done: boolean; value?: Uint8Array }) => { parts.push(part); wake(); };
  const say = (text: string) => { put({ done: false, value: new TextEncoder().encode(text) }); };
  return {
    early: new EarlyAnswers(() => Promise.resolve(response)),
    say,
    expected: (...addresses: string[]) => { say(`${JSON.stringify({ expected: addresses })}\n`); },
    end: () => { put({ done: true }); },
  };
}

const line = (address: string, body: unknown) => `${JSON.stringify({ address, status: 200, headers: { etag: '"1"' }, body })}\n`;

test("an answer goes to whoever asks for its address, before it has come and after", async () => {
  const { early, say, expected, end } = slow();
  const done = early.ask("/start");
  const first = early.take("/a");
  expected("/a", "/b");
  say(line("/a", { n: "ä" }).slice(0, 20));
  say(line("/a", { n: "ä" }).slice(20) + line("/b", 2));
  expect([await (await first)?.json(), (await early.take("/b"))?.headers.get("etag")]).toEqual([{ n: "ä" }, '"1"']);
  end();
  await done;
  expect(await (await early.take("/b"))?.json()).toBe(2);
});

test("nobody waits for what does not come: what is not listed, and what is left when the answer ends", async () => {
  const { early, expected, end } = slow();
  const done = early.ask("/start");
  const [other, missing] = [early.take("/other"), early.take("/a")];
  expected("/a");
  expect(await other).toBeNull();
  end();
  await done;
  expect(await missing).toBeNull();
});

test("whatever happens makes all old; a project that changes only the projects", async () => {
  const { early, say, expected } = slow();
  void early.ask("/start");
  expected("/api/v1/projects", "/api/v1/projects/p1/chats?limit=500");
  say(line("/api/v1/projects", 1) + line("/api/v1/projects/p1/chats?limit=500", 2));
  await vi.waitFor(async () => { expect(await early.take("/api/v1/projects")).not.toBeNull(); });
  early.forget(true);
  expect([await early.take("/api/v1/projects"), await (await early.take("/api/v1/projects/p1/chats?limit=500"))?.json()]).toEqual([null, 2]);
  early.forget();
  expect(await early.take("/api/v1/projects/p1/chats?limit=500")).toBeNull();
});

test("a server that does not answer leaves it to those who ask", async () => {
  const early = new EarlyAnswers(() => Promise.reject(new TypeError("Failed to fetch")));
  await early.ask("/start");
  expect(await early.take("/a")).toBeNull();
});
