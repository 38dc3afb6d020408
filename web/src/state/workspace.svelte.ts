/** One open project: its tree, tabs, documents, git marks and searches, kept in step with the folder. */
import type { Client, OpenSource, Project } from "../api";
import { Chats } from "./chats.svelte";
import type { SlashCommand } from "./composer.svelte";
import { Documents, type Place } from "./documents.svelte";
import { FileFilter } from "./filter.svelte";
import { GitMarks } from "./git.svelte";
import { TextSearch } from "./search.svelte";
import { Tabs } from "./tabs.svelte";
import { FileTree } from "./tree.svelte";

/** Runs work nobody waits for; its expected failures are told elsewhere. */
export type Background = (work: Promise<unknown>) => void;

/** What a workspace needs from the page around it. */
export interface Surroundings {
  background: Background;
  slashCommands: () => readonly SlashCommand[];
  openEvents?: OpenSource | undefined;
}

export class Workspace {
  readonly projectId: string;
  readonly tree: FileTree;
  readonly tabs: Tabs;
  readonly documents: Documents;
  readonly git: GitMarks;
  readonly filter: FileFilter;
  readonly search: TextSearch;
  readonly chats: Chats;
  /** How many files the folder holds, ignored ones aside; null until counted. */
  fileCount = $state<number | null>(null);
  leftView = $state<"files" | "search">("files");
  readonly #client: Client;
  readonly #background: Background;

  constructor(client: Client, project: Project, { background, slashCommands, openEvents }: Surroundings) {
    const id = project.id;
    this.projectId = id;
    this.#client = client;
    this.#background = background;
    this.tree = new FileTree((path, cursor) => client.folder(id, path, cursor));
    this.tabs = new Tabs(id);
    this.documents = new Documents((path) => client.file(id, path));
    this.git = new GitMarks(() => client.git(id));
    this.filter = new FileFilter((query, limit, signal) => client.fileNames(id, query, limit, signal));
    this.search = new TextSearch((options, signal) => client.search(id, options, signal));
    this.chats = new Chats({
      client: client.chats,
      projectId: id,
      background,
      openEvents,
      composer: {
        readNames: (query, limit, signal) => client.fileNames(id, query, limit, signal),
        readSize: async (path) => (await client.file(id, path)).size,
        commands: slashCommands,
        tabs: () => ({ open: this.tabs.items.map((tab) => tab.path), active: this.tabs.active }),
      },
    });
  }

  start(): void {
    this.#background(this.#begin());
    this.#background(this.git.load());
    this.#background(this.#count());
    this.#background(this.chats.start());
  }

  /** Lets go of what it follows. */
  close(): void {
    this.chats.close();
    this.documents.close();
  }

  /** Shows a file in the document, as a preview unless pinned. */
  open(path: string, pinned = false, place: Place | null = null): void {
    this.tabs.open(path, pinned);
    this.documents.get(path).goTo = place;
    this.settle();
  }

  /** Brings documents and tree in line with the tabs, after any change to these. */
  settle(): void {
    const active = this.tabs.active;
    this.documents.keep(this.tabs.items.map((tab) => tab.path));
    if (active === null) {
      this.tree.selected = null;
      return;
    }
    this.#background(this.documents.show(active));
    if (this.tree.selected !== active) this.#background(this.tree.reveal(active));
  }

  /** Follows a change on disk. */
  onFiles(folders: readonly string[], all: boolean): void {
    this.#background(this.tree.refresh(folders, all));
    this.#background(this.documents.refresh(folders, all, this.tabs.active));
    this.#background(this.git.load());
    this.#background(this.#count());
  }

  /** Reads everything open again: events may have been missed. */
  reload(): void {
    this.onFiles([], true);
    this.chats.reload();
  }

  async #begin(): Promise<void> {
    await this.tree.start();
    this.settle();
  }

  async #count(): Promise<void> {
    this.fileCount = (await this.#client.fileNames(this.projectId, "", 1)).total;
  }
}
