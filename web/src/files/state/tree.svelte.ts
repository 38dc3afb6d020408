/** The file tree: reads folders when they are opened, keeps one flat list of visible rows, follows changes on disk. */
import { type Entry, type FolderPage, type Problem, problemOf, UNREACHABLE } from "../../api";
import { adopt, append, isInside, Note, type NoteKind, type Row, rootNode, TreeNode, withContents, withPage } from "./tree-rows";

export type ReadFolder = (path: string, cursor?: string) => Promise<FolderPage>;

/** Folders read at the same time when many have changed. */
const AT_ONCE = 6;

/** The same names that the server sends along. */
const README = /^readme(\.(md|markdown|txt|rst|adoc))?$/i;

/** Which folders were open when the page was here last. */
export interface FolderMemory {
  open(): readonly string[];
  note(paths: readonly string[]): void;
}

export class FileTree {
  /** Every visible row in order. Replaced as a whole, never changed in place. */
  rows = $state.raw<readonly Row[]>([]);
  /** Whether the folder itself has a README, as far as it is read. */
  readonly hasReadme = $derived(this.rows.some((row) => row instanceof TreeNode && row.path !== null && README.test(row.path)));
  /** The row that has the tab stop. */
  focused = $state.raw<Row | null>(null);
  /** The row that was asked to come into view last; a new value each time. */
  revealed = $state.raw<{ row: Row } | null>(null);
  /** The path of the file shown in the document. */
  selected = $state<string | null>(null);
  /** The path that is dragged, if one is. */
  dragged = $state<string | null>(null);
  readonly root = rootNode();
  /** The last time that each folder was read again. */
  readonly #reloads = new WeakMap<TreeNode, Promise<void>>();
  readonly #read: ReadFolder;
  readonly #memory: FolderMemory | null;

  constructor(read: ReadFolder, memory: FolderMemory | null = null) {
    this.#read = read;
    this.#memory = memory;
  }

  async start(): Promise<void> {
    await this.#load(this.root);
    // The folders above come first; one that is gone is passed over.
    for (const path of this.#memory?.open() ?? []) {
      const folder = await this.#find(path);
      if (folder) await this.expand(folder);
    }
  }

  /** The open folders, those above before those inside. */
  #noteOpen(): void {
    if (!this.#memory) return;
    const open: string[] = [];
    const visit = (folder: TreeNode) => {
      for (const child of folder.children ?? []) {
        if (!child.expanded || child.path === null) continue;
        open.push(child.path);
        visit(child);
      }
    };
    visit(this.root);
    this.#memory.note(open);
  }

  /** The rows a viewport shows; its cost depends on their number alone. */
  window(first: number, count: number): Row[] {
    return this.rows.slice(Math.max(0, first), first + count);
  }

  async expand(folder: TreeNode): Promise<void> {
    if (!folder.isFolder || folder.path === null || folder.expanded) return;
    folder.expanded = true;
    this.#noteOpen();
    if (folder.children) this.#show(withContents(this.rows, folder));
    else await this.#load(folder);
  }

  collapse(folder: TreeNode): void {
    if (!folder.expanded) return;
    folder.expanded = false;
    this.#noteOpen();
    if (this.focused && isInside(this.focused, folder)) this.focused = folder;
    this.#show(withContents(this.rows, folder));
  }

  async toggle(folder: TreeNode): Promise<void> {
    if (folder.expanded) this.collapse(folder);
    else await this.expand(folder);
  }

  collapseAll(): void {
    const close = (folder: TreeNode) => {
      for (const child of folder.children ?? []) {
        if (!child.expanded) continue;
        child.expanded = false;
        if (this.focused && isInside(this.focused, child)) this.focused = child;
        close(child);
      }
    };
    close(this.root);
    this.#noteOpen();
    this.#show(withContents(this.rows, this.root));
  }

  /** Reads a folder again after it failed, from where it failed. */
  async retry(folder: TreeNode): Promise<void> {
    if (!folder.children) {
      await this.#load(folder);
      return;
    }
    this.#note(folder, "more");
    this.#show(withContents(this.rows, folder));
    await this.more(folder);
  }

  /** Reads the next page of a folder whose end has come into view. */
  async more(folder: TreeNode): Promise<void> {
    if (folder.nextCursor === null || folder.note?.kind !== "more" || folder.reloading) return;
    const oldNote = folder.note;
    const cursor = folder.nextCursor;
    this.#note(folder, "loading");
    const loadingNote = folder.note;
    this.#show(withPage(this.rows, folder, [], oldNote));
    const page = await this.#ask(folder, () => this.#read(folder.path ?? "", cursor));
    if (!page) return;
    folder.pages += 1;
    folder.nextCursor = page.nextCursor;
    const nodes = append(folder, page.items);
    this.#note(folder, page.nextCursor === null ? null : "more");
    this.#show(withPage(this.rows, folder, nodes, loadingNote));
  }

  /** Reads again the loaded folders among those named; with `all`, every loaded folder. */
  async refresh(paths: readonly string[], all = false): Promise<void> {
    const wanted = new Set(paths);
    const folders = this.#loaded().filter((folder) => all || (folder.path !== null && wanted.has(folder.path)));
    for (let at = 0; at < folders.length; at += AT_ONCE) {
      await Promise.all(folders.slice(at, at + AT_ONCE).map((folder) => this.#reload(folder)));
    }
  }

  /** Opens the folders above a path and selects it; stops quietly where the path does not exist. */
  async reveal(path: string): Promise<void> {
    this.selected = path;
    const file = await this.#find(path);
    if (file && this.selected === path) this.#bring(file);
  }

  /** Opens the folders above a path and brings its row into view, without selecting it. */
  async bringTo(path: string): Promise<void> {
    const found = await this.#find(path);
    if (found) this.#bring(found);
  }

  #bring(row: TreeNode): void {
    this.focused = row;
    this.revealed = { row };
  }

  async #find(path: string): Promise<TreeNode | undefined> {
    const parts = path.split("/");
    let folder = this.root;
    for (const name of parts.slice(0, -1)) {
      const next = await this.#child(folder, name);
      if (!next?.isFolder) return undefined;
      await this.expand(next);
      folder = next;
    }
    return this.#child(folder, parts.at(-1) ?? "");
  }

  /** The size of a file whose folder was read, else null. */
  sizeOf(path: string): number | null {
    const found = this.rows.find((row) => row instanceof TreeNode && row.path === path);
    return found instanceof TreeNode ? found.size : null;
  }

  async #child(folder: TreeNode, name: string): Promise<TreeNode | undefined> {
    const find = () => folder.children?.find((node) => node.name === name);
    let found = find();
    while (!found && folder.note?.kind === "more") {
      await this.more(folder);
      found = find();
    }
    return found;
  }

  async #load(folder: TreeNode): Promise<void> {
    this.#note(folder, "loading");
    this.#show(withContents(this.rows, folder));
    const page = await this.#ask(folder, () => this.#read(folder.path ?? ""));
    if (page) this.#fill(folder, page.items, page.nextCursor, 1);
  }

  /** Reads a folder again. Where a newer read takes its place, that is waited for: then the tree shows what was asked for. */
  async #reload(folder: TreeNode): Promise<void> {
    let waitedFor = this.#readAgain(folder);
    this.#reloads.set(folder, waitedFor);
    await waitedFor;
    for (let latest = this.#reloads.get(folder); latest && latest !== waitedFor; latest = this.#reloads.get(folder)) {
      waitedFor = latest;
      await waitedFor;
    }
  }

  async #readAgain(folder: TreeNode): Promise<void> {
    folder.reloading = true;
    const answer = await this.#ask(folder, async () => {
      const items: Entry[] = [];
      let cursor: string | null | undefined;
      let pages = 0;
      do {
        const page: FolderPage = await this.#read(folder.path ?? "", cursor ?? undefined);
        items.push(...page.items);
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== null && pages < folder.pages);
      return { items, cursor, pages };
    }).finally(() => {
      folder.reloading = false;
    });
    if (answer) this.#fill(folder, answer.items, answer.cursor, answer.pages);
  }

  #fill(folder: TreeNode, items: readonly Entry[], nextCursor: string | null, pages: number): void {
    const oldNote = folder.note;
    const changed = adopt(folder, items);
    folder.pages = pages;
    folder.nextCursor = nextCursor;
    folder.problem = null;
    this.#note(folder, nextCursor !== null ? "more" : items.length === 0 ? "empty" : null);
    if (changed || oldNote !== folder.note) this.#show(withContents(this.rows, folder));
  }

  /** Runs one read of a folder. Nothing comes back when it failed, or when a newer read has begun. */
  async #ask<T>(folder: TreeNode, read: () => Promise<T>): Promise<T | null> {
    folder.reads += 1;
    const mine = folder.reads;
    try {
      const answer = await read();
      return folder.reads === mine ? answer : null;
    } catch (error) {
      const problem = problemOf(error);
      if (folder.reads === mine) this.#fail(folder, problem);
      return null;
    }
  }

  #fail(folder: TreeNode, problem: Problem): void {
    // What was read before stays: the bar tells of a lost server, and the return reads again.
    if (folder.reloading && problem.status === UNREACHABLE) return;
    if (folder.reloading) folder.children = null;
    folder.problem = problem;
    this.#note(folder, "problem");
    this.#show(withContents(this.rows, folder));
  }

  #note(folder: TreeNode, kind: NoteKind | null): void {
    if (folder.note?.kind === kind) return;
    folder.note = kind === null ? null : new Note(folder, kind);
  }

  #loaded(): TreeNode[] {
    const found: TreeNode[] = [];
    const visit = (folder: TreeNode) => {
      if (!folder.children && !folder.problem) return;
      found.push(folder);
      for (const child of folder.children ?? []) if (child.isFolder) visit(child);
    };
    visit(this.root);
    return found;
  }

  /** A folder that is closed, or lies in a closed one, changes without changing a row. */
  #show(rows: readonly Row[]): void {
    const before = this.rows;
    this.rows = rows;
    const focused = this.focused;
    if (!focused || rows.includes(focused)) return;
    const index = before.indexOf(focused);
    this.focused = rows[Math.min(Math.max(0, index), rows.length - 1)] ?? null;
  }
}
