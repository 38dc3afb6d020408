/**
 * What the page reads when it opens comes in one answer, before each part asks for its own. A part finds its answer here
 * by the address it would ask; whatever happens meanwhile makes all of them old.
 */
import { pageHeaders } from "./page-secret";

interface EarlyAnswer {
  address: string;
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** So long is what was read at the start as good as read anew. */
const GOOD_MS = 10_000;

const PROJECTS = /\/projects(\/[^/?]*)?$/;

export class EarlyAnswers {
  readonly #fetch: typeof fetch;
  readonly #here = new Map<string, EarlyAnswer>();
  readonly #waiting = new Map<string, ((answer: EarlyAnswer | null) => void)[]>();
  /** What is read anew, though it may still come. */
  readonly #old = new Set<string>();
  #ends = 0;
  #isComing = false;
  /** The addresses whose answers come; null before that is known. */
  #expected: ReadonlySet<string> | null = null;

  constructor(fetch: typeof globalThis.fetch) {
    this.#fetch = fetch;
  }

  /** Asks for everything at once. What does not come is asked for by whoever needs it. */
  async ask(address: string): Promise<void> {
    this.#isComing = true;
    this.#expected = null;
    this.#old.clear();
    this.#ends = performance.now() + GOOD_MS;
    try {
      const response = await this.#fetch(address, { headers: pageHeaders() });
      if (response.ok && response.body) await this.#read(response.body);
    } catch (error) {
      // Nobody answers, or no longer: whoever needs something asks for it, and tells.
      if (!(error instanceof TypeError)) throw error;
    } finally {
      this.#isComing = false;
      for (const address of [...this.#waiting.keys()]) this.#tell(address, null);
    }
  }

  /** The answer for an address, perhaps in a moment; null when none comes, and whoever needs it asks at once. */
  take(address: string): Promise<Response | null> | null {
    if (performance.now() > this.#ends || this.#old.has(address)) return null;
    const here = this.#here.get(address);
    if (here) return Promise.resolve(responseOf(here));
    const mayCome = this.#isComing && (this.#expected?.has(address) ?? true);
    return mayCome ? this.#next(address).then((answer) => answer && responseOf(answer)) : null;
  }

  /** Something has happened: what was read before may be old. A project that changes leaves what lies in it as it was. */
  forget(onlyProjects = false): void {
    if (onlyProjects) {
      this.#forgetProjects();
      return;
    }
    this.#ends = 0;
    this.#here.clear();
    for (const address of [...this.#waiting.keys()]) this.#tell(address, null);
  }

  #forgetProjects(): void {
    for (const address of new Set([...this.#here.keys(), ...(this.#expected ?? [])])) {
      if (!PROJECTS.test(address)) continue;
      this.#here.delete(address);
      this.#old.add(address);
      this.#tell(address, null);
    }
  }

  #next(address: string): Promise<EarlyAnswer | null> {
    return new Promise((resolve) => {
      this.#waiting.set(address, [...(this.#waiting.get(address) ?? []), resolve]);
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#put(line);
    }
  }

  #put(line: string): void {
    if (performance.now() > this.#ends) return;
    // The shape is the server's own: its types come from the same schema that wrote this line.
    const answer = JSON.parse(line) as EarlyAnswer | { expected: string[] };
    if ("expected" in answer) {
      this.#expected = new Set(answer.expected);
      for (const address of [...this.#waiting.keys()]) if (!this.#expected.has(address)) this.#tell(address, null);
      return;
    }
    if (!this.#old.has(answer.address)) this.#here.set(answer.address, answer);
    this.#tell(answer.address, answer);
  }

  #tell(address: string, answer: EarlyAnswer | null): void {
    const waiting = this.#waiting.get(address) ?? [];
    this.#waiting.delete(address);
    for (const resolve of waiting) resolve(answer);
  }
}

function responseOf(answer: EarlyAnswer): Response {
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
}
