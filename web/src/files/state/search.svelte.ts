/** Text search in the project's files: the question, and the matches grouped by file. */
import { type Problem, problemOf, type SearchMatch, type SearchOptions, type SearchResults } from "../../api";
import { LatestRequest } from "../../core/latest-request";

export type RunSearch = (options: SearchOptions, signal: AbortSignal) => Promise<SearchResults>;

export interface FileMatches {
  path: string;
  matches: SearchMatch[];
}

export class TextSearch {
  query = $state("");
  regex = $state(false);
  caseSensitive = $state(false);
  running = $state(false);
  results = $state.raw<SearchResults | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly groups = $derived(groupByFile(this.results?.items ?? []));
  readonly #run: RunSearch;
  readonly #latest = new LatestRequest(200);

  constructor(run: RunSearch) {
    this.#run = run;
  }

  /** Searches again after any part of the question changed. */
  ask(): void {
    this.problem = null;
    if (this.query === "") {
      this.#latest.cancel();
      this.running = false;
      this.results = null;
      return;
    }
    const options = { query: this.query, regex: this.regex, caseSensitive: this.caseSensitive };
    this.running = true;
    this.#latest.ask(
      (signal) => this.#run(options, signal),
      (results) => {
        this.running = false;
        this.results = results;
      },
      (error) => {
        this.running = false;
        this.results = null;
        this.problem = problemOf(error);
      },
    );
  }
}

export function groupByFile(matches: readonly SearchMatch[]): FileMatches[] {
  const groups = new Map<string, FileMatches>();
  for (const match of matches) {
    const group = groups.get(match.path);
    if (group) group.matches.push(match);
    else groups.set(match.path, { path: match.path, matches: [match] });
  }
  return [...groups.values()];
}
