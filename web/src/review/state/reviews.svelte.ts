/** What of an AI's edits waits for review in one project: the list, the marks, and deciding. */
import { RequestFailed, type Review, type ReviewEdit, type ReviewKind, type ReviewsClient, type Verdict } from "../../api";
import { whenText } from "../../core/times";
import { foldersAbove } from "../../files/state/git.svelte";
import { countOf } from "../../core/amounts";
import { Throttle } from "../../core/throttle";
import type { Background } from "../../core/background";

/** Changes that come close together are read once. */
export const RELOAD_MS = 150;
const CONFLICT = 409;

export interface ReviewsSource {
  client: ReviewsClient;
  projectId: string;
  background: Background;
  /** Waits until the server has what was typed in a file. */
  stored: (path: string) => Promise<void>;
}

export class Reviews {
  items = $state.raw<readonly Review[]>([]);
  /** Whether a decision about several files is on its way. */
  isDeciding = $state(false);
  readonly total = $derived(this.items.reduce((sum, review) => sum + countIn(review), 0));
  readonly #byPath = $derived(new Map(this.items.map((review) => [review.path, review])));
  readonly #folders = $derived(foldersAbove(this.items.map((review) => review.path)));
  readonly #source: ReviewsSource;
  readonly #soon: Throttle;
  #reads = 0;

  constructor(source: ReviewsSource) {
    this.#source = source;
    this.#soon = new Throttle(RELOAD_MS, () => { source.background(this.load()); });
  }

  async load(): Promise<void> {
    this.#reads += 1;
    const mine = this.#reads;
    const found = await this.#source.client.list(this.#source.projectId);
    if (mine === this.#reads) this.items = found.map((review) => withKnownProblem(review, this.items));
  }

  /** Something that waits has changed. */
  onChange(): void {
    this.#soon.ask();
  }

  of(path: string): Review | null {
    return this.#byPath.get(path) ?? null;
  }

  /** How many edits of a file wait. */
  count(path: string): number {
    const review = this.#byPath.get(path);
    return review ? countIn(review) : 0;
  }

  hasInside(folder: string): boolean {
    return this.#folders.has(folder);
  }

  /** The files in which something of a turn waits. */
  ofTurn(turnId: string): readonly Review[] {
    return this.items.filter((review) => review.edits.some((edit) => edit.turnId === turnId));
  }

  /** Decides hunks of one review; "changed" when they are not there any more as they were. */
  async decideHunks(id: string, hunks: readonly string[] | null, verdict: Verdict): Promise<"done" | "changed"> {
    const path = this.items.find((review) => review.id === id)?.path;
    if (path !== undefined) await this.#source.stored(path);
    try {
      this.#take(id, await this.#source.client.decide(id, verdict, hunks));
      return "done";
    } catch (error) {
      if (error instanceof RequestFailed && error.status === CONFLICT && hunks !== null) return "changed";
      throw error;
    }
  }

  /** Decides all of one file. */
  async decideFile(review: Review, verdict: Verdict): Promise<void> {
    await this.decideHunks(review.id, null, verdict);
  }

  /** Decides all that a turn wrote; the answer says how that went. */
  decideTurn(turnId: string, verdict: Verdict): Promise<string> {
    return this.#decideMany(this.ofTurn(turnId), verdict, () => this.#source.client.decideTurn(turnId, verdict));
  }

  decideAll(verdict: Verdict): Promise<string> {
    return this.#decideMany(this.items, verdict, () => this.#source.client.decideAll(this.#source.projectId, verdict));
  }

  async #decideMany(files: readonly Review[], verdict: Verdict, ask: () => Promise<Review[]>): Promise<string> {
    this.isDeciding = true;
    try {
      await Promise.all(files.map((review) => this.#source.stored(review.path)));
      const left = await ask();
      this.#reads += 1;
      this.items = left;
      return outcome(files.length, left.filter((review) => (review.problem ?? null) !== null).length, verdict);
    } finally {
      this.isDeciding = false;
    }
  }

  #take(id: string, left: Review | null): void {
    this.#reads += 1;
    this.items = this.items.flatMap((review) => (review.id !== id ? [review] : left ? [left] : []));
    this.#soon.ask();
  }
}

/** Why something could not be done is said until the file has changed. */
function withKnownProblem(review: Review, known: readonly Review[]): Review {
  const same = known.find(({ id, added, removed, hunkCount }) => id === review.id && added === review.added && removed === review.removed && hunkCount === review.hunkCount);
  return same?.problem !== undefined && same.problem !== null && (review.problem ?? null) === null ? { ...review, problem: same.problem } : review;
}

function outcome(asked: number, stuck: number, verdict: Verdict): string {
  if (stuck === asked && stuck > 0) return `Not all could be ${verdict === "accept" ? "accepted" : "rejected"}: the list of edits says why.`;
  const done = `${countOf(asked - stuck, "file")} ${verdict === "accept" ? "accepted" : "rejected"}.`;
  return stuck === 0 ? done : `${done} ${countOf(stuck, "file")} could not be: the list of edits says why.`;
}

/** A file that came, went or moved as a whole is one edit. */
export function countIn({ hunkCount }: Review): number {
  return Math.max(1, hunkCount);
}

/** Whether a file as a whole is in question, not only words in it. */
export function isWhole({ kind }: Review): boolean {
  return kind !== "edited";
}

/** 3 edits to review */
export function toReviewText(count: number): string {
  return `${countOf(count, "edit")} to review`;
}

const KIND_WORDS: Record<ReviewKind, string> = { edited: "", created: "New", deleted: "Deleted", moved: "Moved", replaced: "Replaced" };

/** What happened to a file as a whole; empty where only its text changed. */
export function kindText({ kind }: Review): string {
  return KIND_WORDS[kind];
}

/** The same for people who hear it: "methods.md, 3 words added, 2 removed". */
export function describeReview(review: Review, name: string): string {
  const words = [name];
  if (review.kind === "moved" && review.fromPath !== null) words.push(`moved from ${review.fromPath}`);
  else if (review.kind !== "edited") words.push(kindText(review).toLowerCase());
  if (review.added > 0) words.push(`${countOf(review.added, review.unit)} added`);
  if (review.removed > 0) words.push(`${countOf(review.removed, review.unit)} removed`);
  return words.join(", ");
}

/** Who made an edit and when: "Sonnet 4.6, 14:32". Several models are all named, with the newest time. */
export function authorText(by: readonly Pick<ReviewEdit, "model" | "at">[], nameOf: (model: string) => string): string {
  const names = [...new Set(by.map(({ model }) => nameOf(model)))];
  const newest = Math.max(...by.map(({ at }) => at));
  return by.length === 0 ? "An AI" : `${names.join(" and ")}, ${whenText(newest)}`;
}

/** "both" for two, "all 3" for more, nothing for one. */
export function allOf(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " both" : ` all ${String(count)}`;
}
