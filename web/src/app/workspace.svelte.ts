/** One open project: its tree, tabs, documents, git marks and searches, kept in step with the folder. */
import type { Client, Project } from "../api";
import { DocumentAgent } from "../document-agent/state/agent.svelte";
import { Authorship } from "../authorship/state/authorship.svelte";
import { Changes } from "../changes/state/changes.svelte";
import { ChatTree } from "../chat-library/state/chat-tree.svelte";
import { Chats } from "../chat-library/state/chats.svelte";
import { Contexts } from "../contexts/state/contexts.svelte";
import { Diagrams } from "../documents/state/diagrams.svelte";
import { Documents, type Place } from "../documents/state/documents.svelte";
import { afterMove } from "../core/paths";
import type { FileAsked, LinksAsked } from "../files/state/file-dialog";
import { FileFilter } from "../files/state/filter.svelte";
import { GitMarks } from "../files/state/git.svelte";
import { Groups } from "../chat-library/state/groups.svelte";
import { FileHistory } from "../file-history/state/history.svelte";
import { FolderInstructions } from "../suggestions/state/instructions.svelte";
import { LastModel } from "../models/state/last-model.svelte";
import type { Models } from "../models/state/models.svelte";
import { MessageOffers } from "../mcp/state/message-offers.svelte";
import { NoteTexts } from "../documents/state/note-texts.svelte";
import { Panes } from "../documents/state/panes.svelte";
import { followMove } from "../picks/state/following";
import { Picked } from "../picks/state/picked.svelte";
import { Pictures } from "../documents/state/pictures.svelte";
import { Proposals } from "../proposals/state/proposals.svelte";
import { Publications } from "../publishing/state/publications.svelte";
import { References } from "../references/state/references.svelte";
import { Replacing } from "../files/state/replacing.svelte";
import { Reviews } from "../review/state/reviews.svelte";
import { TextSearch } from "../files/state/search.svelte";
import { Skills } from "../skills/state/skills.svelte";
import { chosenModel, modelOf } from "../chat/state/conversation";
import { changesSource, historySource, openFolders, replacingSource } from "./workspace-sources";
import type { WorkspaceOptions } from "./workspace-options";
import type { Background } from "../core/background";
import type { Tabs } from "../documents/state/tabs.svelte";
import { Threads } from "../threads/state/threads.svelte";
import { Transforms } from "../document-agent/state/transforms.svelte";
import { Ticks } from "../picks/state/ticks.svelte";
import { FileTree } from "../files/state/tree.svelte";

/** What the next request depends on, besides what is said. */
const IN_A_REQUEST: readonly string[] = ["chat", "skill", "tools", "preferences"];

export class Workspace {
  readonly projectId: string;
  readonly tree: FileTree;
  readonly panes: Panes;
  readonly pictures = new Pictures(async (name) => (await this.#client.fileNames(this.projectId, name, 100)).items.map(({ path }) => path));
  /** Notes and diagrams that texts show. */
  readonly noteTexts = new NoteTexts({ find: (name, from) => this.#client.files.note(this.projectId, name, from), read: async (path) => (await this.#client.file(this.projectId, path)).text });
  readonly diagrams = new Diagrams();
  readonly documents: Documents;
  readonly git: GitMarks;
  readonly changes: Changes;
  readonly filter: FileFilter;
  readonly search: TextSearch;
  readonly replacing: Replacing;
  /** What goes along with the next message of this tab. */
  readonly picked: Picked;
  readonly ticks: Ticks;
  readonly chats: Chats;
  readonly contexts: Contexts;
  readonly skills: Skills;
  /** What a message can take of MCP servers. */
  readonly offers: MessageOffers;
  readonly groups: Groups;
  /** What the Chats tab shows. */
  readonly chatTree: ChatTree;
  readonly proposals: Proposals;
  readonly reviews: Reviews;
  readonly references: References;
  readonly publications: Publications;
  readonly threads: Threads;
  readonly agent: DocumentAgent;
  readonly instructions: FolderInstructions;
  readonly authorship: Authorship;
  readonly transforms: Transforms;
  /** How many files the folder holds, ignored ones aside; null until counted. */
  fileCount = $state<number | null>(null);
  /** What a dialog about files asks. */
  fileAsked = $state.raw<FileAsked | null>(null);
  /** The tag whose notes are asked for; null for all tags. */
  tagAsked = $state<string | null>(null);
  linksAsked = $state.raw<LinksAsked | null>(null);
  leftView = $state<"files" | "contexts" | "chats" | "references" | "search" | "changes">("files");
  rightView = $state<"chat" | "threads">("chat");
  readonly #client: Client;
  readonly #background: Background;
  readonly #models: Models;

  constructor(client: Client, project: Project, { background, drafts, models, slashCommands, goToThread, picksReplaced, settings, openEvents }: WorkspaceOptions) {
    const id = project.id;
    this.projectId = id;
    this.#client = client;
    this.#background = background;
    this.#models = models;
    this.tree = new FileTree((path, cursor) => client.folder(id, path, cursor), openFolders(id));
    this.panes = new Panes(id);
    this.documents = new Documents({ file: (path) => client.file(id, path), facts: (path) => client.fileFacts(id, path), part: (path, where) => client.filePart(id, path, where) });
    this.git = new GitMarks(() => client.git(id));
    this.changes = new Changes(changesSource(client, id, () => { background(this.git.load()); }));
    this.filter = new FileFilter((query, limit, signal) => client.fileNames(id, query, limit, signal));
    this.search = new TextSearch((options, signal) => client.search(id, options, signal));
    this.replacing = new Replacing(id, replacingSource(client, id));
    this.picked = new Picked({
      projectId: id,
      contexts: () => (this.contexts.isLoaded ? this.contexts.list : null),
      skills: () => (this.skills.isLoaded ? this.skills.usable : null),
      calculate: (what, signal) => client.tokens.calculate(id, { ...what, model: chosenModel(this.chats) ?? models.list?.current ?? null }, signal),
      changed: () => { this.chats.composer.measure(); },
    });
    this.ticks = new Ticks({ picked: this.picked, readUnder: (folder, limit) => client.filesUnder(id, folder, limit) });
    const lastModel = new LastModel(id, models);
    this.offers = new MessageOffers(client.mcp, id);
    this.chats = new Chats({
      client: client.chats,
      projectId: id,
      background,
      openEvents,
      picking: {
        picked: this.picked,
        replaced: picksReplaced,
        defaults: () => this.groups.defaultsIn(this.chats.groupId, settings()),
      },
      composer: {
        drafts,
        model: lastModel,
        readNames: (query, limit, signal) => client.fileNames(id, query, limit, signal),
        readSize: async (path) => (await client.file(id, path)).size,
        commands: slashCommands,
        offers: this.offers,
        tabs: () => ({ open: [...this.panes.paths], active: this.tabs.active }),
        along: () => this.picked.along(),
        counted: () => this.picked.counted(),
        recount: () => { this.picked.recount(); },
      },
    });
    this.groups = new Groups({ client: client.groups, projectId: id, background });
    this.chatTree = new ChatTree(this.chats, this.groups);
    this.contexts = new Contexts({ client: client.contexts, projectId: id, background });
    this.skills = new Skills({ client: client.skills, projectId: id, background });
    const stored = (path: string) => this.documents.stored(path);
    this.proposals = new Proposals({ client: client.proposals, background, stored });
    this.reviews = new Reviews({ client: client.reviews, projectId: id, background, stored });
    this.publications = new Publications(client.references, id);
    this.references = new References({ client: client.references, projectId: id, background });
    this.threads = new Threads({
      client: client.threads,
      projectId: id, background, stored, goTo: goToThread,
      session: (chatId) => this.chats.session(chatId),
      composer: (key, chatId) => this.chats.composerFor(key, chatId),
    });
    this.agent = new DocumentAgent({ chats: this.chats, background, stored, cancel: (turnId) => client.chats.cancel(turnId), removeQueued: (turnId) => client.chats.removeQueued(turnId) });
    this.instructions = new FolderInstructions({ client: client.instructions, projectId: id, background });
    this.authorship = new Authorship({ stored, read: (path, signal) => client.writing.authorship(id, path, signal) });
    this.transforms = new Transforms(() => client.writing.transforms(), () => modelOf(models, this.chats)?.transforms ?? null);
  }

  /** The versions of a file. */
  history(path: string): FileHistory { return new FileHistory(path, historySource(this.#client, this.projectId, path, this.git.repository)); }
  /** The tabs of the side where the person is. */
  get tabs(): Tabs { return this.panes.active; }

  start(): void {
    this.#background(this.#begin());
    this.#background(this.git.load());
    this.#background(this.#count());
    this.#background(this.chats.start());
    this.#background(this.groups.load());
    this.#background(this.reviews.load());
    this.#background(this.threads.load());
    this.#background(this.transforms.load());
    this.#background(this.contexts.load().then(() => { this.picked.onContexts(); }));
    this.#background(this.skills.load());
    this.#background(this.#models.show(this.projectId));
  }

  /** Lets go of what it follows. */
  close(): void {
    this.agent.close();
    this.threads.close();
    this.chats.close();
    this.documents.close();
    this.diagrams.close();
  }

  /** Shows a file in the document, as a preview unless pinned. */
  open(path: string, pinned = false, place: Place | null = null): void {
    this.references.close();
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

  /** A person gave a file or folder another path, here or in another tab. */
  followMove(path: string, newPath: string): void {
    for (const open of this.panes.paths) this.documents.rename(open, afterMove(open, path, newPath));
    this.panes.rename(path, newPath);
    followMove(this.picked, path, newPath);
    this.settle();
  }

  /** A person deleted a file or folder, here or in another tab. */
  followRemoval(path: string): void { this.panes.drop(path); this.settle(); }

  /** Follows a change on disk. */
  onFiles(folders: readonly string[], all: boolean): void {
    this.pictures.onFiles(folders, all);
    this.noteTexts.onFiles(folders, all);
    this.#background(this.tree.refresh(folders, all));
    this.#background(this.documents.refresh(folders, all, this.tabs.active));
    this.#showAll();
    this.#background(this.git.load());
    this.#background(this.changes.onFiles());
    this.#background(this.#count());
    this.contexts.onFiles(folders, all);
    this.references.onFiles();
    this.picked.onFiles(folders, all);
    this.ticks.onFiles(folders, all);
    this.skills.onFiles(folders, all);
    // The folder's own choice of models lies there.
    if (all || folders.includes(".recto")) this.#background(this.#models.load());
    this.chats.composer.measure();
  }

  /** The server says that something has changed. */
  onChange(subject: string, id: string): void {
    if (subject === "chat") this.chats.onChange(id);
    else if (subject === "entry" || subject === "turn") this.chats.onChange(id, true);
    else if (subject === "chat_group") this.groups.onChange();
    else if (subject === "context" || subject === "skill") this.#onShelf(subject);
    else if (subject === "review") this.onReviews();
    else if (subject === "thread") this.onThreads();
    if (IN_A_REQUEST.includes(subject)) this.chats.composer.measure();
  }

  /** Another model answers in the conversation: the lists, the picks and the next request count as it does. */
  countAs(model: string): void {
    this.contexts.countAs(model);
    this.skills.countAs(model);
    this.picked.recount();
    this.chats.composer.measure();
  }

  /** A context or a skill has changed: what is on counts otherwise then. */
  #onShelf(subject: "context" | "skill"): void {
    if (subject === "context") this.contexts.onChange();
    else this.skills.onChange();
    this.picked.recount();
  }

  /** An edit waits for review, or was decided: what proposed it stands otherwise then. */
  onReviews(): void {
    this.reviews.onChange();
    this.onThreads();
  }

  /** A thread, a comment or a proposal has changed. */
  onThreads(): void { this.proposals.onChange(); this.threads.onChange(); }

  /** Reads everything open again: events may have been missed. */
  reload(): void {
    this.onFiles([], true);
    this.chats.reload();
    this.groups.onChange();
    this.onReviews();
  }

  /** Recto answers again: what said that it does not is over. */
  forgetUnreachable(): void { this.chats.composer.forgetUnreachable(); this.agent.forgetUnreachable(); }

  /** Reads what shows and is not read yet, or has changed. */
  #showAll(): void { for (const path of this.panes.shown) this.#background(this.documents.show(path)); }

  async #begin(): Promise<void> { await this.tree.start(); this.settle(); }

  async #count(): Promise<void> { this.fileCount = (await this.#client.fileNames(this.projectId, "", 1)).total; }
}
