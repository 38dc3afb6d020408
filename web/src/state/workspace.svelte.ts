/** One open project: its tree, tabs, documents, git marks and searches, kept in step with the folder. */
import type { Client, OpenSource, Project, Thread } from "../api";
import { DocumentAgent } from "./agent.svelte";
import { Authorship } from "./authorship.svelte";
import { Chats } from "./chats.svelte";
import type { SlashCommand } from "./composer.svelte";
import { Documents, type Place } from "./documents.svelte";
import { FileFilter } from "./filter.svelte";
import { GitMarks } from "./git.svelte";
import { FileHistory } from "./history.svelte";
import { Panes } from "./panes.svelte";
import { Pictures } from "./pictures.svelte";
import { Proposals } from "./proposals.svelte";
import { Reviews } from "./reviews.svelte";
import { TextSearch } from "./search.svelte";
import type { Tabs } from "./tabs.svelte";
import { Threads } from "./threads.svelte";
import { Transforms } from "./transforms.svelte";
import { FileTree } from "./tree.svelte";

/** Runs work nobody waits for; its expected failures are told elsewhere. */
export type Background = (work: Promise<unknown>) => void;

/** What a workspace needs from the page around it. */
export interface Surroundings {
  background: Background;
  slashCommands: () => readonly SlashCommand[];
  /** Shows where a thread is. */
  goToThread: (thread: Thread) => void;
  openEvents?: OpenSource | undefined;
}

export class Workspace {
  readonly projectId: string;
  readonly tree: FileTree;
  readonly panes: Panes;
  readonly pictures = new Pictures();
  readonly documents: Documents;
  readonly git: GitMarks;
  readonly filter: FileFilter;
  readonly search: TextSearch;
  readonly chats: Chats;
  readonly proposals: Proposals;
  readonly reviews: Reviews;
  readonly threads: Threads;
  readonly agent: DocumentAgent;
  readonly authorship: Authorship;
  readonly transforms: Transforms;
  /** How many files the folder holds, ignored ones aside; null until counted. */
  fileCount = $state<number | null>(null);
  leftView = $state<"files" | "search">("files");
  rightView = $state<"chat" | "threads">("chat");
  readonly #client: Client;
  readonly #background: Background;

  constructor(client: Client, project: Project, { background, slashCommands, goToThread, openEvents }: Surroundings) {
    const id = project.id;
    this.projectId = id;
    this.#client = client;
    this.#background = background;
    this.tree = new FileTree((path, cursor) => client.folder(id, path, cursor));
    this.panes = new Panes(id);
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
        tabs: () => ({ open: [...this.panes.paths], active: this.tabs.active }),
      },
    });
    const stored = (path: string) => this.documents.stored(path);
    this.proposals = new Proposals({ client: client.proposals, background, stored });
    this.reviews = new Reviews({ client: client.reviews, projectId: id, background, stored });
    this.threads = new Threads({
      client: client.threads,
      projectId: id,
      background,
      stored,
      goTo: goToThread,
      session: (chatId) => this.chats.session(chatId),
      composer: (key, chatId) => this.chats.composerFor(key, chatId),
    });
    this.agent = new DocumentAgent({
      chats: this.chats,
      background,
      stored,
      cancel: (turnId) => client.chats.cancel(turnId),
      removeQueued: (turnId) => client.chats.removeQueued(turnId),
    });
    this.authorship = new Authorship({ stored, read: (path, signal) => client.writing.authorship(id, path, signal) });
    this.transforms = new Transforms(() => client.writing.transforms());
  }

  /** The versions of a file. */
  history(path: string): FileHistory {
    const { writing } = this.#client;
    return new FileHistory(path, {
      list: (of) => writing.versions(this.projectId, of),
      read: (id) => writing.version(id),
      restore: (id, side) => writing.restore(id, side),
    });
  }

  /** The tabs of the side where the person is. */
  get tabs(): Tabs {
    return this.panes.active;
  }

  start(): void {
    this.#background(this.#begin());
    this.#background(this.git.load());
    this.#background(this.#count());
    this.#background(this.chats.start());
    this.#background(this.reviews.load());
    this.#background(this.threads.load());
    this.#background(this.transforms.load());
  }

  /** Lets go of what it follows. */
  close(): void {
    this.agent.close();
    this.threads.close();
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
    this.panes.settle();
    const active = this.tabs.active;
    this.documents.keep(this.panes.paths);
    if (active === null) {
      this.tree.selected = null;
      return;
    }
    this.#showAll();
    if (this.tree.selected !== active) this.#background(this.tree.reveal(active));
  }

  /** Follows a change on disk. */
  onFiles(folders: readonly string[], all: boolean): void {
    this.pictures.onFiles(folders, all);
    this.#background(this.tree.refresh(folders, all));
    this.#background(this.documents.refresh(folders, all, this.tabs.active));
    this.#showAll();
    this.#background(this.git.load());
    this.#background(this.#count());
  }

  /** The server says that something has changed. */
  onChange(subject: string, id: string, action: "created" | "updated" | "deleted"): void {
    if (subject === "chat") this.chats.onChange(id, action);
    else if (subject === "review") this.onReviews();
    else if (subject === "thread") this.onThreads();
  }

  /** An edit waits for review, or was decided: what proposed it stands otherwise then. */
  onReviews(): void {
    this.reviews.onChange();
    this.onThreads();
  }

  /** A thread, a comment or a proposal has changed. */
  onThreads(): void {
    this.proposals.onChange();
    this.threads.onChange();
  }

  /** Reads everything open again: events may have been missed. */
  reload(): void {
    this.onFiles([], true);
    this.chats.reload();
    this.onReviews();
  }

  /** Reads what shows and is not read yet, or has changed. */
  #showAll(): void {
    for (const path of this.panes.shown) this.#background(this.documents.show(path));
  }

  async #begin(): Promise<void> {
    await this.tree.start();
    this.settle();
  }

  async #count(): Promise<void> {
    this.fileCount = (await this.#client.fileNames(this.projectId, "", 1)).total;
  }
}
