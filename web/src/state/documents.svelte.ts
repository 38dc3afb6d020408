/** The files behind the tabs: read when shown, read again when they change on disk, kept when they are deleted. */
import { type Problem, problemOf, type TextFile } from "../api";

export interface Place {
  line: number;
  column: number;
}

/** One open file and what is known about it. */
export class OpenDocument {
  readonly path: string;
  file = $state.raw<TextFile | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** The file is gone; what was read last is still shown. */
  deleted = $state(false);
  loading = $state(false);
  /** Where to go once the text shows; taken by the view. */
  goTo = $state.raw<Place | null>(null);
  /** The text should take the focus once it shows; taken by the view. */
  wantsFocus = $state(false);
  stale = true;
  reads = 0;

  constructor(path: string) {
    this.path = path;
  }
}

export class Documents {
  readonly #read: (path: string) => Promise<TextFile>;
  readonly #open = new Map<string, OpenDocument>();

  constructor(read: (path: string) => Promise<TextFile>) {
    this.#read = read;
  }

  get(path: string): OpenDocument {
    let document = this.#open.get(path);
    if (!document) {
      document = new OpenDocument(path);
      this.#open.set(path, document);
    }
    return document;
  }

  /** Reads a file that has not been read, or has changed since. */
  async show(path: string): Promise<void> {
    const document = this.get(path);
    if (document.stale && !document.loading) await this.load(path);
  }

  async load(path: string): Promise<void> {
    const document = this.get(path);
    document.reads += 1;
    const mine = document.reads;
    document.loading = true;
    document.stale = false;
    try {
      const file = await this.#read(path);
      if (mine === document.reads) this.#take(document, file);
    } catch (error) {
      const problem = problemOf(error);
      if (mine === document.reads) this.#fail(document, problem);
    } finally {
      if (mine === document.reads) document.loading = false;
    }
  }

  /** Marks the open files of changed folders; the active one is read again at once. */
  async refresh(folders: readonly string[], all: boolean, active: string | null): Promise<void> {
    const changed = new Set(folders);
    for (const document of this.#open.values()) {
      if (all || changed.has(folderOf(document.path))) document.stale = true;
    }
    if (active !== null && this.get(active).stale) await this.load(active);
  }

  /** Forgets files that are no longer open. */
  keep(paths: readonly string[]): void {
    const kept = new Set(paths);
    for (const path of this.#open.keys()) if (!kept.has(path)) this.#open.delete(path);
  }

  #take(document: OpenDocument, file: TextFile): void {
    document.deleted = false;
    document.problem = null;
    if (document.file?.hash !== file.hash) document.file = file;
  }

  #fail(document: OpenDocument, problem: Problem): void {
    if (problem.status === 404 && document.file) document.deleted = true;
    else if (problem.status !== 0 || !document.file) document.problem = problem;
    // Nothing was learned about the file, so it is read again when it is shown next.
    if (problem.status === 0) document.stale = true;
  }
}

export function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
