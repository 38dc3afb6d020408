/** The server's event stream: reads events, reconnects with growing pauses, resumes after the last id. */
import { type EventSourceLike, SocketSource } from "./socket-source";

export type StreamEvent =
  | { kind: "hello"; version: string; storeAnswers: boolean }
  | { kind: "change"; seq: number; subject: string; id: string; action: "created" | "updated" | "deleted" }
  | { kind: "files"; projectId: string; folders: string[]; overflow: boolean; note: string | null; moved: Move[]; removed: string[] }
  | { kind: "store"; answers: boolean };

/** Something that a person gave another path, in whatever tab. */
export interface Move {
  path: string;
  newPath: string;
}

export interface StreamListener {
  onEvent(event: StreamEvent): void;
  /** The connection is gone; the next attempt follows by itself. */
  onDown(): void;
}

/** The server is most often on this computer: whoever starts it again should not wait for the page. */
export const RETRY_MS = [500, 1000, 2000, 4000] as const;
const KINDS = ["hello", "change", "files", "store"] as const;

export class EventStream {
  readonly #listener: StreamListener;
  readonly #open: (url: string) => EventSourceLike;
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #lastSeq: number | null = null;

  constructor(listener: StreamListener, open: (url: string) => EventSourceLike = (url) => new SocketSource(url)) {
    this.#listener = listener;
    this.#open = open;
  }

  start(): void {
    this.stop();
    const after = this.#lastSeq === null ? "" : `?after=${String(this.#lastSeq)}`;
    const source = this.#open(`/api/v1/events${after}`);
    this.#source = source;
    for (const kind of KINDS) {
      source.addEventListener(kind, (message) => {
        this.#receive(readEvent(kind, message.data));
      });
    }
    source.addEventListener("error", () => {
      if (this.#source === source) this.#down();
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#source?.close();
    this.#source = null;
  }

  /** Skips the pause, for when the network or the person comes back. */
  retryNow(): void {
    if (this.#timer !== undefined) this.start();
  }

  #receive(event: StreamEvent): void {
    if (event.kind === "hello") this.#attempt = 0;
    if (event.kind === "change") this.#lastSeq = event.seq;
    this.#listener.onEvent(event);
  }

  #down(): void {
    this.stop();
    const pause = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    this.#timer = setTimeout(() => {
      this.start();
    }, pause);
    this.#listener.onDown();
  }
}

/** Reads one event's data; a shape that is not the server's fails at once. */
export function readEvent(kind: (typeof KINDS)[number], data: string): StreamEvent {
  const value: unknown = JSON.parse(data);
  if (!isRecord(value)) throw new TypeError(`Event ${kind} is not an object: ${data}`);
  switch (kind) {
    case "hello":
      return { kind, version: text(value, "version"), storeAnswers: flag(value, "storeAnswers") };
    case "change":
      return { kind, seq: number(value, "seq"), subject: text(value, "kind"), id: text(value, "id"), action: action(value) };
    case "files":
      return { kind, projectId: text(value, "projectId"), folders: texts(value, "folders"), overflow: value["overflow"] === true, note: noteOf(value), moved: moves(value), removed: texts(value, "removed") };
    case "store":
      return { kind, answers: flag(value, "answers") };
  }
}

type Fields = Record<string, unknown>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new TypeError(`Event field ${name} is not text.`);
  return value;
}

/** Why the page no longer follows the folder by itself; null while it does. */
function noteOf(fields: Fields): string | null {
  return fields["note"] === null ? null : text(fields, "note");
}

function number(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number") throw new TypeError(`Event field ${name} is not a number.`);
  return value;
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "boolean") throw new TypeError(`Event field ${name} is not true or false.`);
  return value;
}

function texts(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new TypeError(`Event field ${name} is not a list.`);
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw new TypeError(`Event field ${name} holds something other than text.`);
    return item;
  });
}

function moves(fields: Fields): Move[] {
  const value = fields["moved"];
  if (!Array.isArray(value)) throw new TypeError("Event field moved is not a list.");
  return value.map((item: unknown) => {
    if (!isRecord(item)) throw new TypeError("Event field moved holds something other than a move.");
    return { path: text(item, "path"), newPath: text(item, "newPath") };
  });
}

function action(fields: Fields): "created" | "updated" | "deleted" {
  const value = fields["action"];
  if (value === "created" || value === "updated" || value === "deleted") return value;
  throw new TypeError("Event field action is not created, updated or deleted.");
}
