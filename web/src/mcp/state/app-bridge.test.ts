import { expect, test, vi } from "vitest";
import { AppBridge, type AppHost, type HostContext } from "./app-bridge";

const CONTEXT: HostContext = { theme: "dark", styles: { variables: {} }, containerDimensions: { width: 400, maxHeight: 800 } };
type Sent = { id?: unknown; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown>; error?: { code: number; message: string } };

function opened(given: Partial<AppHost> = {}) {
  const sent: Sent[] = [];
  let now = 0;
  const host: AppHost = {
    post: (message) => { sent.push(message as Sent); },
    call: vi.fn(() => Promise.resolve({ content: [] })),
    read: vi.fn(() => Promise.resolve({ contents: [] })),
    openLink: vi.fn(() => Promise.resolve()),
    propose: vi.fn(), resize: vi.fn(), stop: vi.fn(), now: () => now,
    ...given,
  };
  const bridge = new AppBridge(host, { tool: "panel", arguments: { place: "Brest" }, result: { content: [], structuredContent: { level: 3 } }, origins: [], context: CONTEXT });
  const say = async (method: string, params?: unknown, id?: unknown) => {
    bridge.take({ jsonrpc: "2.0", method, params, id });
    await Promise.resolve();
    await new Promise((resolve) => { setTimeout(resolve); });
  };
  return { bridge, host, sent, say, pass: (ms: number) => { now += ms; } };
}

test("an app hears nothing before it is ready, then what its tool was asked and answered, then how the page looks", async () => {
  const { bridge, sent, say } = opened();
  bridge.change(CONTEXT);
  expect(sent).toEqual([]);
  await say("ui/initialize", { protocolVersion: "2026-01-26" }, 1);
  expect(sent[0]?.result).toMatchObject({ protocolVersion: "2026-01-26", hostContext: { theme: "dark", displayMode: "inline" }, hostCapabilities: { serverTools: {}, openLinks: {} } });
  await say("ui/notifications/initialized");
  await say("ui/notifications/initialized");
  bridge.change({ ...CONTEXT, theme: "light" });
  expect(sent.slice(1).map(({ method, params }) => [method, params])).toEqual([
    ["ui/notifications/tool-input", { arguments: { place: "Brest" } }],
    ["ui/notifications/tool-result", { content: [], structuredContent: { level: 3 } }],
    ["ui/notifications/host-context-changed", { ...CONTEXT, theme: "light" }],
  ]);
  bridge.leave();
  expect(sent.at(-1)?.method).toBe("ui/resource-teardown");
});

test("what an app asks is passed on, and a refusal is its answer", async () => {
  const { host, sent, say } = opened({ openLink: () => Promise.reject(new Error("The person said no.")) });
  await say("tools/call", { name: "refresh", arguments: { a: 1 } }, "a");
  expect(host.call).toHaveBeenCalledWith("refresh", { a: 1 });
  await say("ui/open-link", { url: "https://example.org/x" }, 2);
  await say("ui/open-link", { url: "javascript:alert(1)" }, 3);
  await say("ui/message", { role: "user", content: { type: "text", text: "And tomorrow?" } }, 4);
  await say("ui/message", { role: "user", content: { type: "text", text: "And\u{e0041} tomorrow?" } }, "hidden");
  await say("ui/update-model-context", {}, 5);
  await say("ui/request-display-mode", { mode: "fullscreen" }, 6);
  await say("ui/notifications/size-changed", { width: 10, height: 1e9 });
  await say("ui/notifications/size-changed", { height: "tall" });
  expect(sent.map(({ id, result, error }) => [id, result ?? error?.message])).toEqual([
    ["a", { content: [] }], [2, "The person said no."], [3, "Only addresses of the web are opened."], [4, {}], ["hidden", "The message has letters that nobody can see."], [5, "Recto does not offer ui/update-model-context."], [6, { mode: "inline" }],
  ]);
  expect(host.propose).toHaveBeenCalledExactlyOnceWith("And tomorrow?");
  expect(host.resize).toHaveBeenCalledExactlyOnceWith(800);
});

test("nonsense is passed over, and an app that floods is ended", async () => {
  const { bridge, host, sent, say, pass } = opened();
  for (const nonsense of [null, 7, "x", [], { jsonrpc: "1.0", method: "ping", id: 1 }, { jsonrpc: "2.0", id: {}, method: "ping" }, { jsonrpc: "2.0", id: 1, result: {} }]) bridge.take(nonsense);
  expect(sent).toEqual([]);
  for (let at = 0; at < 3; at += 1) {
    for (let count = 0; count < 100; count += 1) bridge.take({ jsonrpc: "2.0", method: "notifications/message" });
    pass(1000);
  }
  expect(host.stop).not.toHaveBeenCalled();
  for (let count = 0; count < 300; count += 1) bridge.take({ jsonrpc: "2.0", method: "notifications/message" });
  expect(host.stop).toHaveBeenCalledOnce();
  pass(5000);
  await say("ping", {}, 9);
  expect(sent).toEqual([]);
});

test("an app has only so many requests open at once", async () => {
  const { sent, say } = opened({ call: () => new Promise(() => undefined) });
  for (let id = 0; id < 17; id += 1) await say("tools/call", { name: "slow" }, id);
  expect(sent.map(({ id, error }) => [id, error?.message])).toEqual([[16, "Too many requests are open."]]);
});
