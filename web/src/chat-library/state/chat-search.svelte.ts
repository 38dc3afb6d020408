/** A search in what was said in a project's chats. */
import { type ChatMatch, type ChatsClient, type Problem, problemOf } from "../../api";
import type { SaidPlace } from "../../chat/state/chat-session.svelte";
import { LatestRequest } from "../../core/latest-request";
import { type Run, runsOf } from "../../core/fuzzy-match";

export class ChatSearch {
  query = $state("");
  /** Null while nothing is searched for, or nothing was answered yet. */
  found = $state.raw<readonly ChatMatch[] | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #ask: (query: string, signal: AbortSignal) => ReturnType<ChatsClient["search"]>;
  readonly #latest = new LatestRequest(150);

  constructor(ask: (query: string, signal: AbortSignal) => ReturnType<ChatsClient["search"]>) {
    this.#ask = ask;
  }

  type(query: string): void {
    this.query = query;
    const wanted = query.trim();
    if (wanted === "") {
      this.#latest.cancel();
      this.found = null;
      this.problem = null;
      return;
    }
    this.#latest.ask(
      (signal) => this.#ask(wanted, signal),
      ({ items }) => {
        this.found = items;
        this.problem = null;
      },
      (error) => { this.problem = problemOf(error); },
    );
  }
}

/** A found passage, with what was searched for in bold. */
export function snippetRuns({ snippet, ranges }: Pick<ChatMatch, "snippet" | "ranges">): Run[] {
  const hits = ranges.flatMap(([from, to]) => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index));
  return runsOf(snippet, hits);
}

/** Where in its chat a passage is; null for a title. */
export function placeOf({ entryId, seq, snippet, ranges }: ChatMatch): SaidPlace | null {
  return entryId === null ? null : { seq, words: ranges.map(([from, to]) => snippet.slice(from, to)) };
}
