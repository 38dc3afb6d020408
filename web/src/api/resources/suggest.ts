/** Suggestions at the cursor: asked for in one request whose answer comes piece by piece. */
import type { Wire } from "../wire";

export interface SuggestRequest {
  projectId: string;
  path: string;
  prefix: string;
  suffix: string;
  language: string | null;
}

/** How sure a model is of one suggestion, and how that is known. */
export interface SuggestConfidence {
  confidence: number | null;
  confidenceSource: string;
  /** Why it is unknown. */
  confidenceReason: string;
}

export interface SuggestedText extends SuggestConfidence {
  kind: "suggestion";
  id: string;
  index: number;
  text: string;
}

export interface SuggestDone {
  kind: "done";
  id: string;
  count: number;
  /** What became known at the end, by the number of the suggestion. */
  confidences: ReadonlyMap<number, SuggestConfidence>;
  /** Why there is nothing. */
  reason: string | null;
  /** Instructions of the folder that were not sent: whether to follow them is not said yet. */
  unanswered: readonly string[];
}

export type SuggestEvent = SuggestedText | SuggestDone;

export interface SuggestOutcome {
  outcome: "accepted" | "partly" | "dismissed";
  index: number;
  characters: number;
}

export class SuggestClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Asks how a text goes on; what comes is told as it comes. */
  async *ask(request: SuggestRequest, signal: AbortSignal): AsyncGenerator<SuggestEvent> {
    const response = await this.#wire.send("/suggest", { method: "POST", body: request, signal, headers: { Accept: "text/event-stream" } });
    if (!response.body) return;
    for await (const { event, data } of readEvents(response.body)) {
      const read = readSuggestEvent(event, data);
      if (read) yield read;
    }
  }

  async tell(id: string, outcome: SuggestOutcome): Promise<void> {
    await this.#wire.send(`/suggestions/${encodeURIComponent(id)}/outcome`, { method: "POST", body: outcome });
  }
}

export interface ServerEvent {
  event: string;
  data: string;
}

/** The events in a stream of bytes, each once it is complete. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, "\n").split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) yield eventIn(part);
    }
  } finally {
    // Whoever stops listening ends the request.
    await reader.cancel();
  }
}

function eventIn(part: string): ServerEvent {
  const lines = part.split("\n");
  const all = (name: string) => lines.flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, "")] : []));
  return { event: all("event").at(-1) ?? "message", data: all("data").join("\n") };
}

/** Reads one event; null for one of another kind. A shape that is not the server's fails at once. */
export function readSuggestEvent(event: string, data: string): SuggestEvent | null {
  if (event !== "suggestion" && event !== "done") return null;
  const fields = fieldsOf(JSON.parse(data));
  const id = textIn(fields, "id");
  if (event === "suggestion") return { kind: event, id, index: numberIn(fields, "index"), text: textIn(fields, "text"), ...confidenceIn(fields) };
  const reason = fields.get("reason");
  return { kind: event, id, count: numberIn(fields, "count"), confidences: confidencesIn(fields), reason: typeof reason === "string" ? reason : null, unanswered: textsIn(fields, "unansweredInstructions") };
}

function confidencesIn(fields: Map<string, unknown>): Map<number, SuggestConfidence> {
  const given = fields.get("confidences") ?? [];
  if (!Array.isArray(given)) throw new TypeError("The field confidences is no list.");
  return new Map(given.map((one, at) => {
    const each = fieldsOf(one);
    return [each.has("index") ? numberIn(each, "index") : at, confidenceIn(each)];
  }));
}

function confidenceIn(fields: Map<string, unknown>): SuggestConfidence {
  const confidence = fields.get("confidence");
  return { confidence: typeof confidence === "number" ? confidence : null, confidenceSource: textIn(fields, "confidenceSource"), confidenceReason: textIn(fields, "confidenceReason") };
}

function fieldsOf(value: unknown): Map<string, unknown> {
  if (typeof value !== "object" || value === null) throw new TypeError("This is no event of suggestions.");
  return new Map<string, unknown>(Object.entries(value));
}

function textIn(fields: Map<string, unknown>, name: string): string {
  const value = fields.get(name);
  if (typeof value !== "string") throw new TypeError(`The field ${name} is not text.`);
  return value;
}

function textsIn(fields: Map<string, unknown>, name: string): string[] {
  const value = fields.get(name);
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) throw new TypeError(`The field ${name} is no list of texts.`);
  return value;
}

function numberIn(fields: Map<string, unknown>, name: string): number {
  const value = fields.get(name);
  if (typeof value !== "number") throw new TypeError(`The field ${name} is not a number.`);
  return value;
}
