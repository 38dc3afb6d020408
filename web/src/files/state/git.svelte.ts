/** What git says about the folder: the branch, a mark for each changed file, and which folders hold one. */
import type { GitMark, GitState } from "../../api";

export interface MarkLook {
  letter: string;
  word: string;
  tone: "modified" | "added" | "conflict";
}

const LOOKS: Record<GitMark, MarkLook> = {
  modified: { letter: "M", word: "modified", tone: "modified" },
  added: { letter: "A", word: "added", tone: "added" },
  untracked: { letter: "A", word: "new, not tracked by git", tone: "added" },
  renamed: { letter: "R", word: "renamed", tone: "modified" },
  deleted: { letter: "D", word: "deleted", tone: "conflict" },
  conflict: { letter: "C", word: "in conflict", tone: "conflict" },
};

/** How a mark is shown. */
export function lookOf(mark: GitMark): MarkLook {
  return LOOKS[mark];
}

export class GitMarks {
  branch = $state<string | null>(null);
  repository = $state(false);
  #marks = $state.raw<ReadonlyMap<string, GitMark>>(new Map());
  #folders = $state.raw<ReadonlySet<string>>(new Set());
  readonly #read: () => Promise<GitState>;
  #reads = 0;

  constructor(read: () => Promise<GitState>) {
    this.#read = read;
  }

  async load(): Promise<void> {
    this.#reads += 1;
    const mine = this.#reads;
    const state = await this.#read();
    if (mine !== this.#reads) return;
    this.branch = state.branch;
    this.repository = state.repository;
    const marks = new Map(Object.entries(state.files));
    this.#marks = marks;
    this.#folders = foldersAbove(marks.keys());
  }

  mark(path: string): MarkLook | null {
    const mark = this.#marks.get(path);
    return mark ? lookOf(mark) : null;
  }

  hasChangesInside(folder: string): boolean {
    return this.#folders.has(folder);
  }
}

/** Every folder on the way to one of the paths. */
export function foldersAbove(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
