/** The page's whole state, put together: projects, the open workspace, panels, palette, connection. */
import { Client, type EventSourceLike, type Problem, problemOf, type Project, RequestFailed, type StreamEvent, type Undoable, UNREACHABLE } from "../api";
import type { AppFeatures, AppOptions, Dialog } from "./app-options";
import { Assistance } from "./assistance.svelte";
import { Attention } from "./attention.svelte";
import type { SaidPlace } from "../chat/state/chat-session.svelte";
import type { Command, PageActions } from "../core/commands";
import type { Composer } from "../chat/state/composer.svelte";
import { Computer } from "../computer/state/computer.svelte";
import { Connection } from "./connection.svelte";
import { Drafts } from "../chat/state/drafts";
import { KeyChoice } from "../core/key-choice.svelte";
import { Layout } from "./layout.svelte";
import { Outline } from "../documents/state/outline.svelte";
import type { Palette } from "../palette/state/palette.svelte";
import { Preferences } from "../settings/state/preferences.svelte";
import { Projects, wantedProject } from "../projects/state/projects.svelte";
import { forget, remember } from "../core/browser-storage";
import { Route } from "./route.svelte";
import { Theme } from "./theme.svelte";
import { Toasts } from "./toasts.svelte";
import { Tools } from "../tools/state/tools.svelte";
import type { Viewer } from "../documents/state/viewer";
import { Workspace } from "./workspace.svelte";

export type { AppOptions, Dialog } from "./app-options";

export class App {
  readonly client: Client;
  readonly theme = new Theme();
  readonly keys = new KeyChoice();
  readonly layout = new Layout();
  readonly toasts = new Toasts();
  readonly route = new Route();
  readonly preferences: Preferences;
  readonly projects: Projects;
  readonly computer: Computer;
  readonly assistance: Assistance;
  readonly attention = new Attention();
  readonly tools: Tools;
  readonly connection: Connection;
  readonly palette: Palette;
  readonly outline = new Outline();
  workspace = $state.raw<Workspace | null>(null);
  dialog = $state<Dialog | null>(null);
  /** The project the open dialog is about. */
  dialogProject = $state.raw<Project | null>(null);
  /** What the undo dialog is about. */
  undoing = $state.raw<Undoable | null>(null);
  /** Whose next request the dialog of what will be sent is about. */
  previewed = $state.raw<Composer | null>(null);
  switcherOpen = $state(false);
  /** Why the page could not start. */
  failure = $state.raw<Problem | null>(null);
  viewer = $state.raw<Viewer | null>(null);
  commands: readonly Command[] = [];
  readonly #features: AppFeatures<App>;
  readonly #drafts = new Drafts();
  readonly #openEvents: ((url: string) => EventSourceLike) | undefined;
  readonly #reads: boolean;

  constructor(features: AppFeatures<App>, options: AppOptions = {}) {
    this.#features = features;
    const onSessionEnded = () => { this.connection.end(); };
    this.client = new Client(options.fetch ? { fetch: options.fetch, onSessionEnded } : { onSessionEnded });
    this.#openEvents = options.openEvents;
    this.#reads = options.readsTogether ?? false;
    this.preferences = new Preferences(this.client.preferences);
    this.projects = new Projects(this.client);
    this.tools = new Tools(this.client.chats);
    this.computer = new Computer(() => this.client.doctor());
    this.assistance = new Assistance(this.client, this.background);
    const listener = {
      onEvent: (event: StreamEvent) => { this.#onEvent(event); },
      onReturn: () => { this.#onReturn(); },
      // A stream hides why it broke; an ordinary request tells whether the session has ended.
      onDown: () => { this.background(this.client.currentProject()); },
    };
    this.connection = new Connection(listener, options.openEvents);
    this.palette = features.palette(this);
  }

  get project(): Project | null {
    return this.workspace ? this.projects.find(this.workspace.projectId) : null;
  }

  /** Gives the commands what only the view can do. */
  connectActions(actions: PageActions): void {
    this.commands = this.#features.commands(this, actions).map(this.keys.applied);
  }

  /** Finds the project to show and opens it; a failure shows as the page's own state. */
  async start(): Promise<void> {
    // This page hears the server before the folder is read, so that no change falls between the two.
    await this.#open(this.connection.start());
  }

  async #open(listening: Promise<void> = Promise.resolve()): Promise<void> {
    this.failure = null;
    try {
      if (this.#reads) await listening.then(() => { void this.client.readTogether(wantedProject()); });
      const [project] = await Promise.all([this.#firstProject(), listening]);
      this.projects.put(project);
      this.#show(project);
    } catch (error) {
      this.failure = problemOf(error);
      return;
    }
    this.background(this.computer.check());
    this.assistance.load();
    this.background(this.preferences.load());
    this.background(this.tools.load());
  }

  async switchTo(project: Project): Promise<void> {
    this.switcherOpen = false;
    if (project.id === this.workspace?.projectId) return;
    this.#show(await this.projects.markOpened(project.id));
  }

  openFile(path: string, pinned: boolean, place: { line: number; column: number } | null = null): void {
    if (this.route.section) this.route.closeSettings();
    this.layout.showDocument();
    this.workspace?.open(path, pinned, place);
  }

  /** Shows a file with the cursor in it. */
  openToWrite(path: string, place: { line: number; column: number } | null = null): void {
    this.openFile(path, true, place);
    if (this.workspace) this.workspace.documents.get(path).wantsFocus = true;
  }

  /** Shows a file at its first edit that waits for review. */
  openReview(path: string): void {
    this.openFile(path, true);
    if (this.workspace) this.workspace.documents.get(path).wantsEdit = true;
  }

  /** Shows a thread on the right page, at a place of its conversation if one is named; null shows them all. */
  openThread(id: string | null, place: SaidPlace | null = null): void {
    this.workspace?.threads.show(id);
    this.showThreads();
    const session = this.workspace?.threads.session;
    if (place && session) this.background(session.goTo(place));
  }

  /** Shows a chat on the right page, at a place in it if one is named; null begins a new one. */
  openChat(id: string | null, place: SaidPlace | null = null): void {
    const chats = this.workspace?.chats;
    if (!chats) return;
    this.showChat();
    if (id === null) this.beginChat(null);
    else this.background(chats.open(id, place));
  }

  /** Shows a chat that has not begun, and will lie in a folder. */
  beginChat(groupId: string | null): void {
    const chats = this.workspace?.chats;
    if (!chats) return;
    this.showChat();
    chats.begin(groupId);
    chats.composer.focus();
  }

  /** Brings a tab of the left panel to the front. */
  showLeft(view: Workspace["leftView"]): void {
    if (!this.workspace) return;
    if (this.route.section) this.route.closeSettings();
    this.workspace.leftView = view;
    this.layout.showLeft();
  }

  /** Brings the chat to the front. */
  showChat(): void { this.#showRight("chat"); }

  /** Brings the threads to the front. */
  showThreads(): void { this.#showRight("threads"); }

  showUndo(what: Undoable): void {
    this.undoing = what;
    this.dialog = "undo";
  }

  /** Shows what a message would send, part for part. */
  showPreview(composer: Composer): void {
    this.previewed = composer;
    this.dialog = "preview";
  }

  showDialog(dialog: Dialog, project: Project | null = this.project): void {
    this.switcherOpen = false;
    this.dialogProject = project;
    this.dialog = dialog;
  }

  /** After the open project left the list: the folder Recto was started on comes back. */
  async leaveProject(): Promise<void> {
    const project = await this.client.currentProject();
    this.projects.put(project);
    this.#show(project);
  }

  /** Waits for work nobody waits for. The bar tells of a lost server, a toast of anything else expected. */
  readonly background = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      const problem = problemOf(error);
      if (problem.status !== 0 && problem.status !== 401) this.toasts.show(problem.detail);
    });
  };

  async #firstProject(): Promise<Project> {
    await this.projects.load();
    const wanted = wantedProject();
    if (wanted !== null && this.projects.find(wanted)) return this.projects.markOpened(wanted);
    return this.client.currentProject();
  }

  #show(project: Project): void {
    if (this.connection.state === "ended") return;
    remember("project", project.id);
    const address = new URL(location.href);
    address.searchParams.set("project", project.id);
    history.replaceState(null, "", address);
    this.workspace?.close();
    const workspace = new Workspace(this.client, project, {
      background: this.background,
      drafts: this.#drafts,
      slashCommands: () => this.#features.slashMenu(this),
      goToThread: (thread) => { this.#features.goToThread(this, thread); },
      picksReplaced: (before) => { this.toasts.show("What is pinned to this chat has replaced your picks.", { label: "Undo", run: () => { workspace.picked.replace(before); } }); },
      settings: () => (this.projects.find(project.id) ?? project).settings,
      models: this.assistance.models,
      openEvents: this.#openEvents,
    });
    this.workspace = workspace;
    workspace.start();
  }

  #showRight(view: Workspace["rightView"]): void {
    if (this.route.section) this.route.closeSettings();
    if (this.layout.rightHidden) this.layout.toggleRight();
    if (this.workspace) this.workspace.rightView = view;
  }

  #onEvent(event: StreamEvent): void {
    if (event.kind !== "hello") this.client.forgetEarly(event.kind === "change" ? event.subject : event.kind);
    if (event.kind === "files" && event.projectId === this.workspace?.projectId) this.#onFiles(this.workspace, event);
    if (event.kind !== "change") return;
    if (event.subject === "project") this.background(this.#onProject(event.id, event.action));
    else if (event.subject === "preferences") this.#onPreferences();
    else if (event.subject === "tools") this.background(this.tools.load());
    // The check names the keys that are set.
    else if (event.subject === "models") this.background(this.computer.check());
    this.workspace?.onChange(event.subject, event.id);
    this.assistance.onChange(event.subject);
  }

  #onFiles(workspace: Workspace, { moved, removed, folders, overflow, note }: Extract<StreamEvent, { kind: "files" }>): void {
    for (const { path, newPath } of moved) workspace.followMove(path, newPath);
    for (const path of removed) workspace.followRemoval(path);
    workspace.onFiles(folders, overflow);
    if (note !== null) this.toasts.show(note);
  }

  async #onProject(id: string, action: "created" | "updated" | "deleted"): Promise<void> {
    if (action === "deleted") this.projects.drop(id);
    else await this.projects.refresh(id);
    if (id === this.workspace?.projectId && !this.projects.find(id)) await this.#onProjectGone();
  }

  async #onProjectGone(): Promise<void> {
    forget("project");
    try {
      await this.leaveProject();
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== 404) throw error;
      this.workspace = null;
      this.failure = error.problem;
    }
  }

  #onPreferences(): void {
    this.background(this.preferences.load());
    if (this.workspace) this.background(this.workspace.transforms.load());
  }

  #onReturn(): void {
    if (this.failure?.status === UNREACHABLE) {
      this.background(this.#open());
      return;
    }
    this.background(this.computer.check());
    this.background(this.tools.load());
    this.background(this.projects.load());
    this.#onPreferences();
    this.workspace?.reload();
    this.assistance.load();
    this.workspace?.forgetUnreachable();
  }
}
