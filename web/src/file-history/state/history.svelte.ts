/** The versions of one file: what AI and oneself left behind, and its commits, to compare with and to go back to. */
import { type FileCommit, type Problem, problemOf, type SavedVersion, type TextVersion, type VersionSide, type VersionTexts } from "../../api";

/** An edit of AI, a stretch of own writing, or a commit. */
export type FileVersion = ({ of: "edit" } & TextVersion) | ({ of: "save" } & SavedVersion) | ({ of: "commit"; id: string } & FileCommit);

export interface HistorySource {
  edits(path: string): Promise<{ items: readonly TextVersion[]; saves: readonly SavedVersion[] }>;
  /** The commits that changed the file, as git follows it. */
  commits(path: string): Promise<readonly FileCommit[]>;
  read(version: FileVersion): Promise<VersionTexts>;
  restore(version: FileVersion, side: VersionSide): Promise<void>;
}

export class FileHistory {
  readonly path: string;
  items = $state.raw<readonly FileVersion[] | null>(null);
  chosen = $state.raw<FileVersion | null>(null);
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
      const [{ items, saves }, commits] = await Promise.all([this.#source.edits(this.path), this.#source.commits(this.path)]);
      this.items = inOrder(items, saves, commits);
      const [newest] = this.items;
      if (newest) await this.#show(newest);
    });
  }

  choose(version: FileVersion): Promise<unknown> {
    return this.#try(() => this.#show(version));
  }

  /** Makes the file what it was on one side of the chosen version. Tells whether it is. */
  restore(side: VersionSide): Promise<boolean> {
    const version = this.chosen;
    return version ? this.#try(() => this.#source.restore(version, side)) : Promise.resolve(false);
  }

  async #show(version: FileVersion): Promise<void> {
    this.chosen = version;
    this.texts = null;
    const texts = await this.#source.read(version);
    if (this.chosen === version) this.texts = texts;
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

/** All of them, the newest first. */
function inOrder(edits: readonly TextVersion[], saves: readonly SavedVersion[], commits: readonly FileCommit[]): FileVersion[] {
  const all: FileVersion[] = [
    ...edits.map((edit) => ({ of: "edit" as const, ...edit })),
    ...saves.map((save) => ({ of: "save" as const, ...save })),
    ...commits.map((commit) => ({ of: "commit" as const, id: commit.commit, ...commit })),
  ];
  return all.sort((one, other) => other.at - one.at);
}
