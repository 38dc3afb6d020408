/** Who wrote the shown texts: asked again when a text rests, shown in it when the person wants that. */
import { type AuthorshipReport, RequestFailed } from "../../api";
import type { AuthorLook } from "../labels";
import { LatestRequest } from "../../core/latest-request";
import { recall, remember } from "../../core/browser-storage";

/** How long a text must rest before its authors are asked for. */
export const REST_MS = 900;
/** How often in a row an answer may be about another moment of the text. */
const TRIES = 3;

export interface AuthorshipSource {
  read(path: string, signal?: AbortSignal): Promise<AuthorshipReport>;
  /** Waits until the server has every edit of a text. */
  stored(path: string): Promise<void>;
}

/** What is known of a project's authors. */
export class Authorship {
  readonly source: AuthorshipSource;
  #reports = $state.raw<Readonly<Record<string, AuthorshipReport>>>({});
  #isShown = $state(recall("authors", isTruth) ?? false);

  constructor(source: AuthorshipSource) {
    this.source = source;
  }

  /** Whether texts are marked by their authors. */
  get isShown(): boolean {
    return this.#isShown;
  }

  set isShown(isShown: boolean) {
    this.#isShown = isShown;
    remember("authors", isShown);
  }

  report(path: string): AuthorshipReport | null {
    return this.#reports[path] ?? null;
  }

  put(path: string, report: AuthorshipReport | null): void {
    const others = Object.entries(this.#reports).filter(([known]) => known !== path);
    this.#reports = Object.fromEntries(report ? [...others, [path, report]] : others);
  }
}

/** The authors of the text in one view. */
export class TextAuthors {
  /** Whose text the cursor is in, while the authors are shown. */
  here = $state.raw<AuthorLook | null>(null);
  readonly #authorship: Authorship;
  readonly #atOnce = new LatestRequest(0);
  readonly #atRest = new LatestRequest(REST_MS);
  #path = $state<string | null>(null);
  readonly report = $derived(this.#path === null ? null : this.#report(this.#path));
  #tries = 0;

  constructor(authorship: Authorship) {
    this.#authorship = authorship;
  }

  /** Turns to another text; null is none whose authors are known. */
  open(path: string | null): void {
    if (path === this.#path) return;
    this.#path = path;
    this.here = null;
    this.#tries = 0;
    this.#ask(this.#atOnce);
  }

  /** The text has changed: its authors are asked for when it rests. */
  changed(): void {
    this.#tries = 0;
    this.#ask(this.#atRest);
  }

  /** The last answer was about another moment of the text. */
  missed(): void {
    this.#tries += 1;
    if (this.#tries < TRIES) this.#ask(this.#atRest);
  }

  close(): void {
    this.#atOnce.cancel();
    this.#atRest.cancel();
  }

  #report(path: string): AuthorshipReport | null {
    return this.#authorship.report(path);
  }

  #ask(when: LatestRequest): void {
    const path = this.#path;
    const { source } = this.#authorship;
    this.close();
    if (path === null) return;
    when.ask(
      async (signal) => {
        await source.stored(path);
        return source.read(path, signal);
      },
      (report) => { this.#authorship.put(path, report); },
      (error) => {
        // Who wrote what only informs: without an answer, nothing is said. Anything unexpected is a fault.
        if (!(error instanceof RequestFailed)) throw error;
        this.#authorship.put(path, null);
      },
    );
  }
}

function isTruth(value: unknown): value is boolean {
  return typeof value === "boolean";
}
