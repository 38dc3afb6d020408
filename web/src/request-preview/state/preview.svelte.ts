/** The next request before it is sent: what it takes and costs, and, while somebody looks, every part with its text. */
import { type NewTurn, type Preview, type Problem, problemOf } from "../../api";
import { LatestRequest } from "../../core/latest-request";
import { money, tokens, windowSize } from "../../core/amounts";

export type ReadPreview = (turn: NewTurn, texts: boolean, signal: AbortSignal) => Promise<Preview>;

const PAUSE_MS = 300;

export class NextRequest {
  /** What would be sent; null until it is known. */
  preview = $state.raw<Preview | null>(null);
  /** Why it is not known. */
  problem = $state.raw<Problem | null>(null);
  /** Null where nothing can be told beforehand. */
  readonly #read: ReadPreview | null;
  readonly #turn: () => NewTurn | Promise<NewTurn>;
  readonly #later = new LatestRequest(PAUSE_MS);
  readonly #now = new LatestRequest(0);
  #isLookedAt = false;

  constructor(read: ReadPreview | null, turn: () => NewTurn | Promise<NewTurn>) {
    this.#read = read;
    this.#turn = turn;
  }

  /** Asks again, once changes pause. */
  measure(): void {
    this.#ask(this.#later);
  }

  /** Somebody looks at the parts, so their texts come along. Answers how to look away. */
  look(): () => void {
    this.#isLookedAt = true;
    this.#ask(this.#now);
    return () => { this.#isLookedAt = false; };
  }

  #ask(when: LatestRequest): void {
    const read = this.#read;
    if (!read) return;
    this.#later.cancel();
    this.#now.cancel();
    when.ask(
      async (signal) => read(await this.#turn(), this.#isLookedAt, signal),
      (preview) => {
        this.preview = preview;
        this.problem = null;
      },
      (error) => {
        const problem = problemOf(error);
        // While the server is away, what was told last still stands.
        if (problem.status !== 0) this.preview = null;
        this.problem = problem;
      },
    );
  }
}

export function requestLevel({ tokens: used, window, tooLong }: Preview): BarLevel {
  return tooLong === null ? windowLevel(used, window) : "over";
}

/** What the request costs if the provider remembers what it can; empty where no price is known. */
export function requestPrice({ costIfCachedMicros }: Preview): string {
  return costIfCachedMicros === null ? "" : money(costIfCachedMicros);
}

/** 18.4k of 200k tokens, $0.06 without the answer; … */
export function requestWords(preview: Preview): string {
  const { costMicros, costIfCachedMicros, cachedTokens } = preview;
  const size = `${tokens(preview.tokens)} of ${windowSize(preview.window)} tokens`;
  if (costMicros === null || costIfCachedMicros === null) return `${size}, at an unknown price`;
  const remembered = cachedTokens > 0 ? ` if the provider still remembers ${tokens(cachedTokens)} of them, else ${money(costMicros)}` : "";
  return `${size}, ${money(costIfCachedMicros)} without the answer${remembered}`;
}

/** The provider’s cache breaks: … */
export function breakWords({ cacheBreak }: Preview): string {
  if (!cacheBreak) return "";
  const more = cacheBreak.costMicros === null ? "" : `, for ${money(cacheBreak.costMicros)} more`;
  const again = cacheBreak.tokens > 0 ? ` ${tokens(cacheBreak.tokens)} tokens are read anew${more}.` : "";
  return `${cacheBreak.why}${again}`;
}

export type BarLevel = "normal" | "high" | "over";

/** From 80 % on the window is nearly full. */
export function windowLevel(used: number, window: number): BarLevel {
  if (used > window) return "over";
  return used >= window * 0.8 ? "high" : "normal";
}
