import { expect, test, vi } from "vitest";
import { type FeedSocket, NotebookState } from "./notebook.svelte";

function setUp() {
  const socket: FeedSocket = { onmessage: null, onclose: null, close: vi.fn() };
  const client = { kernels: vi.fn(), run: vi.fn(() => Promise.resolve()), order: vi.fn(), answer: vi.fn(), clear: vi.fn(), variables: vi.fn(), usage: vi.fn(), complete: vi.fn(), help: vi.fn() };
  const order: string[] = [];
  const stored = () => Promise.resolve().then(() => { order.push("stored"); });
  const state = new NotebookState({ client, projectId: "p", path: "a.ipynb", address: "ws://x", stored, open: () => socket });
  const say = (message: object) => { socket.onmessage?.({ data: JSON.stringify(message) }); };
  return { state, say, client, order };
}

test("what is printed is added, and a line that is written over is replaced", () => {
  const { state, say } = setUp();
  say({ type: "notebook", language: "python", cells: { a: { count: 1, outputs: [{ kind: "stream", name: "stdout", text: "😀1\n10%" }], ran: null, leftOut: 0 } } });
  say({ type: "append", cell: "a", index: 0, keep: 3, text: "20%" });
  expect(state.answerOf("a").outputs).toEqual([{ kind: "stream", name: "stdout", text: "😀1\n20%" }]);
});

test("a cell runs when the server has all of its text", async () => {
  const { state, client, order } = setUp();
  client.run.mockImplementation(() => {
    order.push("run");
    return Promise.resolve();
  });
  await state.run(["a"]);
  expect(order).toEqual(["stored", "run"]);
});

test("a cell that a model is writing is known, and known to be over", () => {
  const { state, say } = setUp();
  const rest = { type: "state", kernel: null, running: [], queue: [], asked: null, stale: {}, problem: "" };
  const draft = { call: "c1", cell: "a", after: null, source: "x = " };
  say({ ...rest, drafts: [draft] });
  expect(state.drafts).toEqual([draft]);
  say({ ...rest, drafts: [] });
  expect(state.drafts).toEqual([]);
});
