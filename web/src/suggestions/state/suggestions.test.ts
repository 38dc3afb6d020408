import { expect, test, vi } from "vitest";
import { RequestFailed, SuggestClient, type SuggestEvent, type SuggestOutcome } from "../../api";
import { Wire } from "../../api/wire";
import { Ghost, suggestionConfidence } from "./suggestions";

class FakeClient extends SuggestClient {
  readonly asked: unknown[] = [];
  readonly told: [string, SuggestOutcome][] = [];
  events: SuggestEvent[] = [];
  failure: RequestFailed | null = null;

  constructor() {
    super(new Wire());
  }

  override async *ask(request: unknown): AsyncGenerator<SuggestEvent> {
    this.asked.push(request);
    await Promise.resolve();
    yield* this.events;
  }

  override tell(id: string, outcome: SuggestOutcome): Promise<void> {
    this.told.push([id, outcome]);
    return this.failure ? Promise.reject(this.failure) : Promise.resolve();
  }
}

function setUp() {
  const client = new FakeClient();
  const settings = { suggest: "asked", suggestPauseMs: 600, suggestHideSeconds: 3 } as const;
  const unanswered: (readonly string[])[] = [];
  const failures: string[] = [];
  return { client, unanswered, ghost: new Ghost({ client, projectId: "p1", settings: () => settings, onUnanswered: (paths) => { unanswered.push(paths); }, onFailed: (why) => { failures.push(why); } }), failures };
}

const QUESTION = { path: "a.md", prefix: "The tide", suffix: "", language: null };

test("each suggestion is told at once, and again when its confidence is known", async () => {
  const { client, ghost, unanswered } = setUp();
  client.events = [
    { kind: "suggestion", id: "s1", index: 0, text: " rises", confidence: null, confidenceSource: "unknown", confidenceReason: "Not told." },
    { kind: "suggestion", id: "s1", index: 1, text: " falls", confidence: 0.61, confidenceSource: "heuristic", confidenceReason: "" },
    { kind: "done", id: "s1", count: 2, confidences: new Map([[0, { confidence: 0.82, confidenceSource: "logprobs", confidenceReason: "" }]]), reason: null, unanswered: ["AGENTS.md"] },
  ];
  const told: string[][] = [];
  for await (const { text, confidence } of ghost.ask(QUESTION, new AbortController().signal)) told.push([text, confidence]);
  expect(told).toEqual([[" rises", "Confidence unknown. Not told."], [" falls", "Medium confidence 0.61, by a heuristic"], [" rises", "High confidence 0.82, by log-probabilities"]]);
  expect(client.asked).toEqual([{ projectId: "p1", ...QUESTION }]);
  expect(unanswered).toEqual([["AGENTS.md"]]);
});

test("a source of confidence that is not known here is left out", () => {
  expect(suggestionConfidence({ confidence: 0.4, confidenceSource: "stars", confidenceReason: "" })).toBe("Low confidence 0.40");
});

test("what became of it is told, and nobody hears if that fails", async () => {
  const { client, ghost } = setUp();
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  client.failure = new RequestFailed({ type: "about:blank", title: "Not found", status: 404, detail: "Not found." });
  ghost.outcome("s1", { outcome: "partly", index: 0, characters: 4 });
  await vi.waitFor(() => { expect(warned).toHaveBeenCalledTimes(1); });
  expect(client.told).toEqual([["s1", { outcome: "partly", index: 0, characters: 4 }]]);
  warned.mockRestore();
});

test("a person who asked hears why there is no suggestion, and what to do", () => {
  const { ghost, failures } = setUp();
  ghost.failed(new RequestFailed({ type: "about:blank", title: "Spent", status: 402, detail: "The monthly limit is reached.", remedy: "Raise it in the settings." }));
  expect(failures).toEqual(["There is no suggestion. The monthly limit is reached. Raise it in the settings."]);
});
