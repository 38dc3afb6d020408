/** The server's HTTP API as typed calls. Every failure a person can meet arrives as a RequestFailed. */
import { ChatsClient } from "./resources/chats-client";
import { ContextsClient } from "./resources/contexts";
import { FilesClient } from "./resources/files";
import type { components } from "./generated";
import { GroupsClient } from "./resources/groups";
import { InstructionsClient } from "./resources/instructions";
import { PreferencesClient } from "./resources/preferences";
import { ProposalsClient } from "./resources/proposals";
import { ReferencesClient } from "./resources/references";
import { ReplacementsClient } from "./resources/replacements";
import { RepositoryClient } from "./resources/repository";
import { ReviewsClient } from "./resources/reviews";
import { McpClient } from "./resources/mcp";
import { NotebooksClient } from "./resources/notebooks";
import { ServersClient } from "./resources/servers";
import { SkillsClient } from "./resources/skills";
import { SuggestClient } from "./resources/suggest";
import { ThreadsClient } from "./resources/threads";
import { TokensClient } from "./resources/tokens";
import { projectPath } from "./addresses";
import { queryString, ROOT, Wire, type WireOptions } from "./wire";
import { WordClient } from "./resources/word";
import { WritingClient } from "./resources/writing";

type Schemas = components["schemas"];
export type Project = Schemas["Project"];
export type ProjectPage = Schemas["ProjectPage"];
export type ProjectSettings = Schemas["ProjectSettings"];
export type FolderPage = Schemas["FolderPage"];
export type Entry = Schemas["Entry"];
export type TextFile = Schemas["TextFile"];
export type TextFacts = Schemas["TextFacts"];
export type TextPart = Schemas["TextPart"];
/** Which part of a large text: by its number, or by a line that is in it. Both count from 1. */
export type PartPlace = { part: number } | { line: number };
export type FileNames = Schemas["FileNames"];
export type FileNameMatch = Schemas["FileNameMatch"];
export type SearchResults = Schemas["SearchResults"];
export type SearchMatch = Schemas["SearchMatch"];
export type GitState = Schemas["GitState"];
export type GitMark = GitState["files"][string];
export type DoctorReport = Schemas["DoctorReport"];
export type KeptRecords = Schemas["KeptRecords"];
export type KeepingRules = Schemas["KeepingRules"];
export type DoctorCheck = Schemas["DoctorCheck"];
export type SessionLink = Schemas["SessionLink"];
export type SignedInBrowser = Schemas["SignedInBrowser"];
export type Health = Schemas["Health"];
export type Model = Schemas["Model"];
export type ThinkingLevel = Model["thinkingLevels"][number];
export type ModelList = Schemas["ModelList"];
export type ModelCheck = Schemas["ModelCheck"];
export type ProviderCheck = Schemas["ProviderCheck"];
export type Provider = Schemas["Provider"];
export type ProviderList = Schemas["ProviderList"];
export type BudgetState = Schemas["BudgetState"];
export type BudgetUpdate = Schemas["BudgetUpdate"];
export type UsageReport = Schemas["UsageReport"];
export type UsageRow = Schemas["UsageRow"];
export type UsageDay = Schemas["UsageDay"];
export type Calibration = Schemas["Calibration"];
export type CalibrationCurve = Schemas["CalibrationCurve"];

export interface SearchOptions {
  query: string;
  regex: boolean;
  caseSensitive: boolean;
}

export type ClientOptions = WireOptions;

export class Client {
  readonly chats: ChatsClient;
  readonly contexts: ContextsClient;
  readonly files: FilesClient;
  readonly groups: GroupsClient;
  readonly instructions: InstructionsClient;
  readonly preferences: PreferencesClient;
  readonly proposals: ProposalsClient;
  readonly references: ReferencesClient;
  readonly replacements: ReplacementsClient;
  readonly repository: RepositoryClient;
  readonly reviews: ReviewsClient;
  readonly servers: ServersClient;
  readonly mcp: McpClient;
  readonly notebooks: NotebooksClient;
  readonly skills: SkillsClient;
  readonly suggest: SuggestClient;
  readonly threads: ThreadsClient;
  readonly tokens: TokensClient;
  readonly word: WordClient;
  readonly writing: WritingClient;
  readonly #wire: Wire;

  constructor(options: ClientOptions = {}) {
    this.#wire = new Wire(options);
    this.chats = new ChatsClient(this.#wire);
    this.contexts = new ContextsClient(this.#wire);
    this.files = new FilesClient(this.#wire);
    this.groups = new GroupsClient(this.#wire);
    this.instructions = new InstructionsClient(this.#wire);
    this.preferences = new PreferencesClient(this.#wire);
    this.proposals = new ProposalsClient(this.#wire);
    this.references = new ReferencesClient(this.#wire);
    this.replacements = new ReplacementsClient(this.#wire);
    this.repository = new RepositoryClient(this.#wire);
    this.reviews = new ReviewsClient(this.#wire);
    this.servers = new ServersClient(this.#wire);
    this.mcp = new McpClient(this.#wire);
    this.notebooks = new NotebooksClient(this.#wire);
    this.skills = new SkillsClient(this.#wire);
    this.suggest = new SuggestClient(this.#wire);
    this.threads = new ThreadsClient(this.#wire);
    this.tokens = new TokensClient(this.#wire);
    this.word = new WordClient(this.#wire);
    this.writing = new WritingClient(this.#wire);
  }

  /** Reads at once what the page needs to open a project; each part finds its answer when it asks, until something has changed. */
  readTogether(projectId: string | null): Promise<void> {
    return this.#wire.early.ask(`${ROOT}/start${queryString({ project: projectId ?? undefined })}`);
  }

  forgetEarly(subject: string): void { this.#wire.early.forget(subject === "project"); }

  health(): Promise<Health> {
    return this.#wire.json("/health");
  }

  projects(cursor?: string): Promise<ProjectPage> { return this.#wire.json("/projects", { query: { cursor } }); }

  currentProject(): Promise<Project> { return this.#wire.json("/projects/current"); }

  project(id: string): Promise<Project> {
    return this.#wire.json(projectPath(id));
  }

  addProject(path: string): Promise<Project> {
    return this.#wire.json("/projects", { method: "POST", body: { path } });
  }

  /** Saves a project; fails with 412 when somebody else changed it since it was read. */
  saveProject(project: Project, change: { name?: string; settings?: Partial<ProjectSettings> }): Promise<Project> {
    return this.#wire.json(projectPath(project.id), {
      method: "PUT",
      body: { name: change.name ?? project.name, settings: { ...project.settings, ...change.settings } },
      headers: { "If-Match": `"${String(project.version)}"` },
    });
  }

  async removeProject(id: string, confirm: string): Promise<void> {
    await this.#wire.send(projectPath(id), { method: "DELETE", query: { confirm } });
  }

  openProject(id: string): Promise<Project> {
    return this.#wire.json(projectPath(id, "open"), { method: "POST" });
  }

  folder(id: string, path: string, cursor?: string, signal?: AbortSignal): Promise<FolderPage> {
    return this.#wire.json(projectPath(id, "folder"), { query: { path, cursor }, signal });
  }

  file(id: string, path: string, signal?: AbortSignal): Promise<TextFile> {
    return this.#wire.json(projectPath(id, "file"), { query: { path }, signal });
  }

  /** How a text is stored, for who has its text already. */
  fileFacts(id: string, path: string): Promise<TextFacts> {
    return this.#wire.json(projectPath(id, "file-facts"), { query: { path } });
  }

  /** A part of a text that is too large to be edited: one by its number, or the one with a line. */
  filePart(id: string, path: string, where: PartPlace): Promise<TextPart> {
    return this.#wire.json(projectPath(id, "file-part"), { query: { path, ...where } });
  }

  /** Asks for a picture or PDF, to learn why it can't be had. Its bytes are left unread. */
  async raw(id: string, path: string): Promise<void> {
    const response = await this.#wire.send(projectPath(id, "raw"), { query: { path } });
    await response.body?.cancel();
  }

  /** The bytes of a PDF. */
  async rawBytes(id: string, path: string): Promise<Uint8Array> {
    const response = await this.#wire.send(projectPath(id, "raw"), { query: { path } });
    return new Uint8Array(await response.arrayBuffer());
  }

  fileNames(id: string, query: string, limit: number, signal?: AbortSignal): Promise<FileNames> {
    return this.#wire.json(projectPath(id, "file-names"), { query: { query, limit }, signal });
  }

  /** The files in a folder at any depth, ignored ones aside. */
  filesUnder(id: string, under: string, limit: number): Promise<FileNames> {
    return this.#wire.json(projectPath(id, "file-names"), { query: { under, limit } });
  }

  search(id: string, options: SearchOptions, signal?: AbortSignal): Promise<SearchResults> {
    return this.#wire.json(projectPath(id, "search"), { query: { ...options }, signal });
  }

  git(id: string): Promise<GitState> {
    return this.#wire.json(projectPath(id, "git"));
  }

  doctor(): Promise<DoctorReport> {
    return this.#wire.json("/doctor");
  }

  keeping(): Promise<KeepingRules> {
    return this.#wire.json("/keeping");
  }

  newSessionLink(): Promise<SessionLink> {
    return this.#wire.json("/session/link", { method: "POST" });
  }

  async signOut(): Promise<void> {
    await this.#wire.send("/session", { method: "DELETE" });
  }

  async signedInBrowsers(): Promise<SignedInBrowser[]> {
    return (await this.#wire.json<Schemas["SignedInBrowsers"]>("/sessions")).items;
  }

  /** Signs one browser out, or every other one. */
  async signBrowsersOut(id: string | null): Promise<void> {
    await this.#wire.send(id === null ? "/sessions" : `/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  models(projectId: string | null): Promise<ModelList> {
    return this.#wire.json(`/models${ofProject(projectId)}`);
  }

  /** Takes a model for new chats; null leaves the choice to Recto. */
  chooseModel(id: string | null, projectId: string | null): Promise<ModelList> {
    return this.#wire.json(`/models/default${ofProject(projectId)}`, { method: "PUT", body: { id } });
  }

  /** Says how hard a model thinks; null is as it does by itself. */
  chooseThinking(id: string, thinking: ThinkingLevel | null, projectId: string | null): Promise<ModelList> {
    return this.#wire.json(`/models/thinking${ofProject(projectId)}`, { method: "PUT", body: { id, thinking } });
  }

  /** Asks everybody who can be asked for their models. Takes as long as all of them. */
  checkModels(signal?: AbortSignal): Promise<ModelCheck> {
    return this.#wire.json("/models/check", { method: "POST", signal });
  }

  providers(): Promise<ProviderList> {
    return this.#wire.json("/providers");
  }

  async saveKey(name: string, value: string): Promise<void> {
    await this.#wire.send(keyPath(name), { method: "PUT", body: { value } });
  }

  async leaveGateway(): Promise<void> {
    await this.#wire.send("/gateway", { method: "DELETE" });
  }

  /** Asks the providers that take a key whether they take this one. */
  testKey(name: string): Promise<ModelCheck> {
    return this.#wire.json(`${keyPath(name)}/test`, { method: "POST" });
  }

  async removeKey(name: string): Promise<void> {
    await this.#wire.send(keyPath(name), { method: "DELETE" });
  }

  budget(): Promise<BudgetState> {
    return this.#wire.json("/budget");
  }

  saveBudget(change: BudgetUpdate): Promise<BudgetState> {
    return this.#wire.json("/budget", { method: "PUT", body: change });
  }

  /** What a month cost; without one, this month. */
  usage(month?: string, signal?: AbortSignal): Promise<UsageReport> {
    return this.#wire.json("/usage", { query: { month }, signal });
  }

  /** How often what was offered was taken, by how sure it was said to be. */
  calibration(): Promise<Calibration> {
    return this.#wire.json("/calibration");
  }
}

function keyPath(name: string): string {
  return `/keys/${encodeURIComponent(name)}`;
}

function ofProject(id: string | null): string {
  return id === null ? "" : `?projectId=${encodeURIComponent(id)}`;
}
