/** What differs from the last commit, as somebody sees it who is about to commit: two lists of files, the diff of one, a message. */
import { type ChangedFile, type FileDifference, type Problem, problemOf, type GitChanges } from "../../api";

export interface ChangesSource {
  read(): Promise<GitChanges>;
  diff(path: string, staged: boolean): Promise<FileDifference>;
  stage(paths: readonly string[], hunks: readonly string[] | null): Promise<void>;
  unstage(paths: readonly string[], hunks: readonly string[] | null): Promise<void>;
  commit(message: string): Promise<string>;
  /** Something was staged or committed here. */
  changed(): void;
}

/** One side of a file: what of it is staged, or what is not. */
export interface ChangeSide {
  file: ChangedFile;
  staged: boolean;
}

export class Changes {
  found = $state.raw<GitChanges | null>(null);
  problem = $state.raw<Problem | null>(null);
  message = $state("");
  isBusy = $state(false);
  /** Whose diff is looked at. */
  shown = $state.raw<ChangeSide | null>(null);
  diff = $state.raw<FileDifference | null>(null);
  /** Somebody looks at the list: it follows the folder. */
  isOpen = false;
  readonly staged = $derived((this.found?.files ?? []).filter((file) => file.staged !== null));
  readonly unstaged = $derived((this.found?.files ?? []).filter((file) => file.unstaged !== null));
  readonly #source: ChangesSource;
  #reads = 0;

  constructor(source: ChangesSource) {
    this.#source = source;
  }

  get canCommit(): boolean {
    const found = this.found;
    return !this.isBusy && this.message.trim() !== "" && found !== null && this.staged.length + found.stagedElsewhere > 0 && found.underWay === null && found.branch !== null;
  }

  async load(): Promise<void> {
    this.#reads += 1;
    const mine = this.#reads;
    try {
      const found = await this.#source.read();
      if (mine !== this.#reads) return;
      this.found = found;
      this.problem = null;
    } catch (error) {
      const problem = problemOf(error);
      if (mine === this.#reads) this.problem = problem;
    }
  }

  async onFiles(): Promise<void> {
    if (this.isOpen) await this.load();
  }

  /** Shows how a file differs. */
  async show(side: ChangeSide): Promise<void> {
    this.shown = side;
    this.diff = null;
    this.problem = null;
    try {
      const diff = await this.#source.diff(side.file.path, side.staged);
      if (this.shown === side) this.diff = diff;
    } catch (error) {
      const problem = problemOf(error);
      if (this.shown === side) this.problem = problem;
    }
  }

  /** Stages files, or takes them out; of a renamed one both names. */
  move(files: readonly ChangedFile[], toStaged: boolean): Promise<boolean> {
    const paths = files.flatMap(({ path, fromPath }) => (fromPath === null ? [path] : [path, fromPath]));
    return this.#act(() => (toStaged ? this.#source.stage(paths, null) : this.#source.unstage(paths, null)));
  }

  /** Stages a hunk of the shown file, or takes it out, and shows what is left of its side. */
  async moveHunk(id: string): Promise<void> {
    const side = this.shown;
    if (!side) return;
    const { file: { path }, staged } = side;
    await this.#act(() => (staged ? this.#source.unstage([path], [id]) : this.#source.stage([path], [id])));
    const { problem } = this;
    const file = this.found?.files.find((one) => one.path === path) ?? side.file;
    await this.show({ file, staged });
    this.problem ??= problem;
  }

  /** Commits what is staged; the commit's id, or null when git did not. */
  async commit(): Promise<string | null> {
    let made: string | null = null;
    const isDone = await this.#act(async () => { made = await this.#source.commit(this.message); });
    if (isDone) this.message = "";
    return made;
  }

  async #act(work: () => Promise<void>): Promise<boolean> {
    this.isBusy = true;
    this.problem = null;
    try {
      await work();
      return true;
    } catch (error) {
      const problem = problemOf(error);
      await this.load();
      this.problem = problem;
      return false;
    } finally {
      if (this.problem === null) await this.load();
      this.isBusy = false;
      this.#source.changed();
    }
  }
}
