/** The files behind the tabs: read when shown, read again when they change on disk, kept when they are deleted. */
import { type Problem, problemOf, type TextFile } from "../api";

/** How a live text stands, as the editor tells it. */
export interface LiveStatus {
  synced: boolean;
  online: boolean;
  waiting: number;
  saved: boolean;
  saving: boolean;
  gone: boolean;
  problem: string | null;
  needsUtf8: boolean;
  theirs: string | null;
  refused: string | null;
  left: string | null;
}

/** What the documents ask of whoever keeps their texts in step with the server. */
export interface Sync {
  keepOnly(paths: readonly string[]): void;
  save(path: string, asUtf8?: boolean): void;
  resolve(path: string, choice: "mine" | "theirs"): void;
  forgetLeft(path: string): void;
  retryNow(): void;
  close(): void;
  readonly waiting: number;
}

/** How far the reviewing of a text is: how many edits wait, and at which one the cursor is, from 1. */
export interface EditStanding {
  readonly count: number;
  readonly current: number;
}

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
  /** The cursor should go to its first edit once that shows; taken by the view. */
  wantsEdit = $state(false);
  /** The thread at whose passage the cursor should be once that shows; taken by the view. */
  wantsThread = $state<string | null>(null);
  edits = $state.raw<EditStanding>({ count: 0, current: 0 });
  /** How its live text stands; null while there is none. */
  live = $state.raw<LiveStatus | null>(null);
  stale = true;
  /** How often it was read: changes when the file may have. */
  reads = $state(0);

  constructor(path: string) {
    this.path = path;
  }

  onEdits(standing: EditStanding): void {
    if (standing.count !== this.edits.count || standing.current !== this.edits.current) this.edits = standing;
  }

  /** What people are told of its state, in a few words. */
  get standing(): string {
    return this.live?.synced ? standingOf(this.live) : "Read-only";
  }
}

function standingOf({ online, waiting, saving, saved, problem, theirs }: LiveStatus): string {
  if (!online) return waiting === 0 ? "Offline" : `Offline, ${String(waiting)} ${waiting === 1 ? "edit" : "edits"} waiting`;
  if (theirs !== null) return "Two versions";
  if (problem !== null) return "Not saved";
  return saved && !saving && waiting === 0 ? "Saved" : "Saving…";
}

export class Documents {
  readonly #read: (path: string) => Promise<TextFile>;
  readonly #open = new Map<string, OpenDocument>();
  /** Who waits for a text's edits to be stored. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #sync: Sync | null = null;

  constructor(read: (path: string) => Promise<TextFile>) {
    this.#read = read;
  }

  get sync(): Sync | null {
    return this.#sync;
  }

  /** Has the texts kept in step from now on. */
  connect(sync: Sync): void {
    this.#sync = sync;
  }

  /** Where the texts of a project are kept in step. */
  address(projectId: string): string {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return `${scheme}://${location.host}/api/v1/projects/${projectId}/documents/sync`;
  }

  onStatus(path: string, status: LiveStatus): void {
    const document = this.#open.get(path);
    if (document) document.live = status;
    if (status.online && status.waiting > 0) return;
    for (const done of this.#waiting.get(path) ?? []) done();
    this.#waiting.delete(path);
  }

  /** Waits until the server has every edit of a text, or can't be told of them. */
  stored(path: string): Promise<void> {
    const live = this.#open.get(path)?.live;
    if (!live?.online || live.waiting === 0) return Promise.resolve();
    return new Promise((done) => { this.#waiting.set(path, [...(this.#waiting.get(path) ?? []), done]); });
  }

  close(): void {
    this.#sync?.close();
    this.#sync = null;
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
    if (all) this.#sync?.retryNow();
    const changed = new Set(folders);
    for (const document of this.#open.values()) {
      if (all || changed.has(folderOf(document.path))) document.stale = true;
    }
    if (active !== null && this.get(active).stale) await this.load(active);
  }

  /** Forgets files that are no longer open. */
  keep(paths: readonly string[]): void {
    this.#sync?.keepOnly(paths);
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

/** The path that a relative address in a file means. */
export function beside(path: string, target: string): string {
  const parts = target.startsWith("/") ? [] : folderOf(path).split("/").filter(Boolean);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
