/** The versions of one file: what each edit by an AI left behind, to compare with and to go back to. */
import { type FileCommit, type Problem, problemOf, type TextVersion, type VersionSide, type VersionTexts } from "../../api";

export interface HistorySource {
  list(path: string): Promise<TextVersion[]>;
  read(id: string): Promise<VersionTexts>;
  restore(id: string, side: VersionSide): Promise<void>;
  /** The commits that changed the file, as git follows it. */
  commits(path: string): Promise<FileCommit[]>;
  committed(commit: FileCommit): Promise<string | null>;
  restoreCommitted(commit: FileCommit): Promise<void>;
}

export class FileHistory {
  readonly path: string;
  items = $state.raw<readonly TextVersion[] | null>(null);
  chosen = $state.raw<TextVersion | null>(null);
  commits = $state.raw<readonly FileCommit[]>([]);
  chosenCommit = $state.raw<FileCommit | null>(null);
  texts = $state.raw<VersionTexts | null>(null);
  problem = $state.raw<Problem | null>(null);
  isBusy = $state(false);
  readonly #source: HistorySource;

  constructor(path: string, source: HistorySource) {
    this.path = path;
    this.#source = source;
  }

  async load(): Promise<void> {
    await this.#try(async () => {
      this.items = await this.#source.list(this.path);
      this.commits = await this.#source.commits(this.path);
      const [newest] = this.items;
      const [last] = this.commits;
      if (newest) await this.#show(newest);
      else if (last) await this.#showCommit(last);
    });
  }

  choose(version: TextVersion): Promise<unknown> {
    return this.#try(() => this.#show(version));
  }

  chooseCommit(commit: FileCommit): Promise<unknown> {
    return this.#try(() => this.#showCommit(commit));
  }

  /** Makes the file what it was in the chosen commit. Tells whether it is. */
  restoreCommit(): Promise<boolean> {
    const commit = this.chosenCommit;
    return commit ? this.#try(() => this.#source.restoreCommitted(commit)) : Promise.resolve(false);
  }

  /** Makes the file what it was on one side of the chosen edit. Tells whether it is. */
  restore(side: VersionSide): Promise<boolean> {
    const version = this.chosen;
    return version ? this.#try(() => this.#source.restore(version.id, side)) : Promise.resolve(false);
  }

  async #show(version: TextVersion): Promise<void> {
    this.chosen = version;
    this.chosenCommit = null;
    this.texts = null;
    const texts = await this.#source.read(version.id);
    if (this.chosen === version) this.texts = texts;
  }

  async #showCommit(commit: FileCommit): Promise<void> {
    this.chosen = null;
    this.chosenCommit = commit;
    this.texts = null;
    const after = await this.#source.committed(commit);
    if (this.chosenCommit === commit) this.texts = { before: null, after };
  }

  async #try(work: () => Promise<void>): Promise<boolean> {
    this.isBusy = true;
    this.problem = null;
    try {
      await work();
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }
}
