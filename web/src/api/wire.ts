/** Requests to the server's HTTP API. Every failure a person can meet arrives as a RequestFailed. */
import { EarlyAnswers } from "./early-answers";
import { pageHeaders } from "./page-secret";
import { RequestFailed, readProblem, unreachable } from "./problem";

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface Call {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Query;
  body?: unknown;
  /** A file, sent as it is. */
  data?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** The request goes on when the page is left. */
  keepalive?: boolean;
}

export interface WireOptions {
  fetch?: typeof fetch;
  /** Called once for each answer that says the session has ended. */
  onSessionEnded?: () => void;
}

export const ROOT = "/api/v1";

export class Wire {
  readonly #fetch: typeof fetch;
  readonly #onSessionEnded: () => void;
  /** What was read together when the page opened. */
  readonly early: EarlyAnswers;

  constructor(options: WireOptions = {}) {
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.early = new EarlyAnswers(this.#fetch);
    this.#onSessionEnded = options.onSessionEnded ?? (() => undefined);
  }

  async json<T>(path: string, call: Call = {}): Promise<T> {
    const response = await this.send(path, call);
    // The shape is the server's own: its types come from the same schema that wrote this body.
    return (await response.json()) as T;
  }

  async send(path: string, call: Call = {}): Promise<Response> {
    const init: RequestInit = { method: call.method ?? "GET", headers: { ...pageHeaders(), ...call.headers } };
    if (call.signal) init.signal = call.signal;
    if (call.data) init.body = call.data;
    if (call.keepalive) init.keepalive = true;
    if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      init.headers = { ...pageHeaders(), ...call.headers, "Content-Type": "application/json" };
    }
    const url = `${ROOT}${path}${queryString(call.query)}`;
    const early = this.#early(url, init);
    const response = (early && (await early)) ?? (await this.#reach(url, init));
    if (response.ok) return response;
    if (response.status === 401) this.#onSessionEnded();
    throw new RequestFailed(await readProblem(response));
  }

  /** What was read together when the page opened, until something is changed. */
  #early(url: string, { method, signal }: RequestInit): Promise<Response | null> | null {
    if (method !== "GET") this.early.forget();
    return method === "GET" && !signal ? this.early.take(url) : null;
  }

  async #reach(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      // fetch says TypeError for every network failure; an abort must stay an abort.
      if (error instanceof TypeError) throw new RequestFailed(unreachable(), { cause: error });
      throw error;
    }
  }
}

export function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === "object") for (const one of value) params.append(name, one);
    else if (value !== undefined) params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}
