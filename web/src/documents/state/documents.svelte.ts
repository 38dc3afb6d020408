/** The files behind the tabs: read when shown, read again when they change on disk, kept when they are deleted. */
import { type PartPlace, type Problem, problemOf, type TextFacts, type TextFile, type TextPart } from "../../api";
import { isReadAsText, showsAs } from "./file-kinds";
import { folderOf } from "../../core/paths";

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
  left: { base: string; mine: string } | null;
}

/** What the documents ask of whoever keeps their texts in step with the server. */
export interface Sync {
  keepOnly(paths: readonly string[]): void;
  rename(path: string, newPath: string): void;
  save(path: string, asUtf8?: boolean): void;
  resolve(path: string, choice: "mine" | "theirs"): void;
  takeLeft(path: string): boolean;
  forgetLeft(path: string): void;
  retryNow(): void;
  close(): void;
  readonly waiting: number;
}

/** How far the reviewing of a text is: how many edits wait, and at which one the cursor is, from 1. */
export interface EditProgress {
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
  /** What is shown of a text that is too large to be edited. */
  part = $state.raw<TextPart | null>(null);
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
  edits = $state.raw<EditProgress>({ count: 0, current: 0 });
  /** How the document stands that a view of its own shows; null for texts. */
  viewed = $state<string | null>(null);
  /** Saves what such a view was told; null while it may not be edited, and for texts. */
  store = $state.raw<(() => Promise<void>) | null>(null);
  /** How its live text stands; null while there is none. */
  live = $state.raw<LiveStatus | null>(null);
  stale = true;
  /** How often it was read: changes when the file may have. */
  reads = $state(0);

  constructor(path: string) {
    this.path = path;
  }

  /** The same file under another path. */
  at(path: string): OpenDocument {
    const moved = new OpenDocument(path);
    moved.file = this.file && { ...this.file, path };
    moved.live = this.live;
    moved.edits = this.edits;
    moved.reads = this.reads;
    return moved;
  }

  onEdits(standing: EditProgress): void {
    if (standing.count !== this.edits.count || standing.current !== this.edits.current) this.edits = standing;
  }

  /** What people are told of its state, in a few words. */
  get standing(): string {
    if (this.viewed !== null) return this.viewed;
    if (this.live?.synced) return standingOf(this.live);
    return this.part || this.problem || this.live?.refused ? "Read-only" : "Opening…";
  }
}

function standingOf({ online, waiting, saving, saved, gone, problem, theirs }: LiveStatus): string {
  if (!online) return waiting === 0 ? "Offline" : `Offline, ${String(waiting)} ${waiting === 1 ? "edit" : "edits"} waiting`;
  if (theirs !== null) return "Two versions";
  if (problem !== null) return "Not saved";
  if (gone && !saving) return "Not in the folder";
  return saved && !saving && waiting === 0 ? "Saved" : "Saving…";
}

/** Where documents read files from. */
export interface FileSource {
  file(path: string): Promise<TextFile>;
  facts(path: string): Promise<TextFacts>;
  part(path: string, where: PartPlace): Promise<TextPart>;
}

const TOO_LARGE = 413;

export class Documents {
  readonly #source: FileSource;
  readonly #open = new Map<string, OpenDocument>();
  /** Who waits for a text's edits to be stored. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #sync: Sync | null = null;

  constructor(source: FileSource) {
    this.#source = source;
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
    if (document) this.#follow(document, status);
    if (status.online && status.waiting > 0) return;
    for (const done of this.#waiting.get(path) ?? []) done();
    this.#waiting.delete(path);
  }

  #follow(document: OpenDocument, status: LiveStatus): void {
    const isOver = document.live?.synced === true && !status.synced;
    document.live = status;
    // What is shown until another history of it is here is the file's text, which was not followed.
    if (document.file && isOver) void this.load(document.path);
  }

  /** Waits until the server has every edit of a text, or can't be told of them. */
  stored(path: string): Promise<void> {
    const open = this.#open.get(path);
    if (open?.store) return open.store();
    const live = open?.live;
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

  load(path: string): Promise<void> {
    if (showsAs(path) === "word") return this.#leaveToItsView(path);
    return this.#load(path, (document) => this.#readWhole(document));
  }

  /** Shows another part of a text that is too large to be edited. */
  turnTo(path: string, where: PartPlace): Promise<void> {
    return this.#load(path, () => this.#source.part(path, where));
  }

  /** A Word document is read by the view that shows it: there is no text to ask for. */
  #leaveToItsView(path: string): Promise<void> {
    const document = this.get(path);
    document.reads += 1;
    document.stale = false;
    return Promise.resolve();
  }

  async #load(path: string, read: (document: OpenDocument) => Promise<TextFile | TextPart>): Promise<void> {
    const document = this.get(path);
    document.reads += 1;
    const mine = document.reads;
    document.loading = true;
    document.stale = false;
    try {
      const found = await read(document);
      if (mine === document.reads) this.#take(document, found);
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

  /** A file has another path now: its text, and what waits to be stored, goes along. */
  rename(path: string, newPath: string): void {
    const document = this.#open.get(path);
    if (!document || path === newPath) return;
    this.#open.delete(path);
    this.#open.set(newPath, document.at(newPath));
    const waiting = this.#waiting.get(path);
    this.#waiting.delete(path);
    if (waiting) this.#waiting.set(newPath, waiting);
    this.#sync?.rename(path, newPath);
  }

  /** Forgets files that are no longer open. */
  keep(paths: readonly string[]): void {
    this.#sync?.keepOnly(paths);
    const kept = new Set(paths);
    for (const path of this.#open.keys()) if (!kept.has(path)) this.#open.delete(path);
  }

  /** A file's text; of one that is too large, the part that is wanted or was shown before. */
  async #readWhole({ path, part, goTo, file, live }: OpenDocument): Promise<TextFile | TextPart> {
    try {
      // A live text comes another way: after each save it would be read a second time, all of it.
      if (file && live?.synced && live.online) return { ...file, ...(await this.#source.facts(path)) };
      return await this.#source.file(path);
    } catch (error) {
      if (problemOf(error).status !== TOO_LARGE || !isReadAsText(path)) throw error;
      return this.#source.part(path, goTo ? { line: goTo.line } : { part: part?.part ?? 1 });
    }
  }

  #take(document: OpenDocument, found: TextFile | TextPart): void {
    document.deleted = false;
    document.problem = null;
    const isPart = "part" in found;
    // While a text is live, only how its file is stored goes on being read: the same hash may stand for newer words.
    if (!isPart && (document.file?.hash !== found.hash || document.file.text !== found.text)) document.file = found;
    if (isPart) document.file = null;
    document.part = isPart ? found : null;
  }

  #fail(document: OpenDocument, problem: Problem): void {
    const isShown = document.file !== null || document.part !== null;
    if (problem.status === 404 && isShown) document.deleted = true;
    else if (problem.status !== 0 || !isShown) document.problem = problem;
    // Nothing was learned about the file, so it is read again when it is shown next.
    if (problem.status === 0) document.stale = true;
  }
}
