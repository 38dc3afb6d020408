/** One Word document as its page shows it: what is saved, what was changed by whom, what is said in the margin. */
import { EDITED_ELSEWHERE, problemOf, type WordChange, type WordClient, type WordCommentThread, type WordConflict, type WordEdits, type WordFrame, type WordPage, type WordSplice } from "../../api";

export interface WordSource {
  client: WordClient;
  projectId: string;
  path: string;
  /** The name of this tab of the browser. */
  tab: string;
}

/** What shows already of a document. */
export type ShownPage = Pick<WordPage, "hash" | "frame" | "blocks">;

/** This page: a tab that is loaded again is another one, which its old self made room for when it left. */
export const THIS_TAB = crypto.randomUUID();

/** Who the AI is, in the names of those that changes are tracked for. */
const BY_AI = /^Recto( \(.*\))?$/;

export class WordDocument {
  page = $state.raw<WordPage | null>(null);
  frame = $state.raw<WordFrame | null>(null);
  /** Why it can't be shown. */
  problem = $state.raw<{ detail: string; remedy: string | null } | null>(null);
  /** Why the last change could not be saved. */
  refusal = $state<string | null>(null);
  saved = $state(true);
  isElsewhere = $state(false);
  openedBy = $state("");
  conflicts = $state.raw<readonly WordConflict[]>([]);
  isTracked = $state(false);
  /** Whether something is asked of the server that changes the document. */
  isBusy = $state(false);
  readonly changes: readonly WordChange[] = $derived(this.frame?.changes ?? []);
  readonly byAi = $derived(this.changes.filter(isByAi).length);
  readonly comments: readonly WordCommentThread[] = $derived((this.frame?.comments ?? []).filter(({ isResolved }) => !isResolved));
  readonly resolved: readonly WordCommentThread[] = $derived((this.frame?.comments ?? []).filter(({ isResolved }) => isResolved));
  readonly canEdit = $derived(this.frame?.refusal === "" && !this.isElsewhere);
  readonly #source: WordSource;
  #reads = 0;

  constructor(source: WordSource) {
    this.#source = source;
  }

  get path(): string {
    return this.#source.path;
  }

  /**
   * Reads the document; null when it can't be shown, or something newer was read meanwhile. Of what is shown already, only
   * what is other is sent, and all else stays the very same.
   */
  async read(shown: ShownPage | null = null): Promise<WordPage | null> {
    this.#reads += 1;
    const mine = this.#reads;
    const { client, projectId, path, tab } = this.#source;
    try {
      const page = on(shown, await client.page(projectId, path, tab, shown?.hash ?? ""));
      if (mine !== this.#reads) return null;
      this.#take(page);
      return page;
    } catch (error) {
      const { detail, remedy } = problemOf(error);
      if (mine === this.#reads) this.problem = { detail, remedy: remedy ?? null };
      return null;
    }
  }

  #take(page: WordPage): void {
    const isFirst = this.page === null;
    this.page = page;
    this.frame = page.frame;
    this.problem = null;
    this.isElsewhere = page.isElsewhere;
    this.openedBy = page.openedBy;
    if (isFirst) this.isTracked = page.frame.isTracking;
  }

  edit(hash: string, edits: WordEdits["edits"], taken: WordEdits["taken"]): Promise<WordSplice> {
    const { client, projectId, path, tab } = this.#source;
    return client.edit(projectId, { path, hash, tab, isTracked: this.isTracked, edits, taken });
  }

  onStanding(saved: boolean, failure: unknown): void {
    this.saved = saved;
    if (failure === null) {
      this.refusal = null;
      return;
    }
    const problem = problemOf(failure);
    if (problem.type === EDITED_ELSEWHERE) this.isElsewhere = true;
    else this.refusal = problem.detail;
  }

  onConflicts(conflicts: readonly WordConflict[]): void {
    this.conflicts = [...this.conflicts.filter((known) => !conflicts.some(({ paragraph }) => paragraph === known.paragraph)), ...conflicts];
  }

  drop(conflict: WordConflict): void {
    this.conflicts = this.conflicts.filter((known) => known !== conflict);
  }

  /** Accepts or rejects changes by their keys: those of the shown document. */
  async settle(hash: string, accept: boolean, keys: readonly string[] | null): Promise<void> {
    const { client, projectId, path } = this.#source;
    const places = keys === null ? null : this.changes.flatMap((change, at) => (keys.includes(change.key) ? [at] : []));
    await this.#doing(() => client.settle(projectId, path, hash, accept, places));
  }

  async comment(paragraph: number, start: number, end: number, text: string): Promise<void> {
    const { client, projectId, path } = this.#source;
    await this.#doing(() => client.comment(projectId, { path, paragraph, start, end, text }));
  }

  async answer(comment: string, text: string): Promise<void> {
    const { client, projectId, path } = this.#source;
    await this.#doing(() => client.answer(projectId, path, comment, text));
  }

  /** Resolves a comment, or opens it again. */
  async resolve(comment: string, isResolved: boolean): Promise<void> {
    const { client, projectId, path } = this.#source;
    await this.#doing(() => client.resolve(projectId, path, comment, isResolved));
  }

  /** The draft that it was published from, if it was. */
  draft(): Promise<string | null> {
    return this.#source.client.draft(this.#source.projectId, this.path);
  }

  async takeOver(): Promise<void> {
    const { client, projectId, path, tab } = this.#source;
    await client.take(projectId, path, tab, true);
    this.isElsewhere = false;
  }

  /** Lets others edit it. */
  leave(): Promise<void> {
    const { client, projectId, path, tab } = this.#source;
    return client.take(projectId, path, tab, false);
  }

  async #doing(what: () => Promise<unknown>): Promise<void> {
    this.isBusy = true;
    try {
      await what();
      this.refusal = null;
    } catch (error) {
      this.refusal = problemOf(error).detail;
    } finally {
      this.isBusy = false;
    }
  }

  /** What people are told of its state, in a few words. */
  get standing(): string {
    if (this.problem) return "Not shown";
    if (!this.frame) return "Opening…";
    if (this.isElsewhere || this.frame.refusal !== "") return "Read-only";
    if (this.refusal) return "Not saved";
    return this.saved && !this.isBusy ? "Saved" : "Saving…";
  }
}

function on(shown: ShownPage | null, page: WordPage): WordPage {
  if (page.isWhole || shown === null) return page;
  const blocks = [...shown.blocks.slice(0, page.start), ...page.blocks, ...shown.blocks.slice(page.end)];
  return { ...page, blocks, frame: page.hash === shown.hash ? shown.frame : page.frame };
}

export function isByAi({ author }: { author: string }): boolean {
  return BY_AI.test(author);
}

/** When a change was made, for people; nothing where the document does not say it. */
export function timeOf(date: string): number | null {
  const at = Date.parse(date);
  return Number.isNaN(at) ? null : at;
}
