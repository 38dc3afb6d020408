/** The server's HTTP API as typed calls. Every failure a person can meet arrives as a RequestFailed. */
import type { components } from "./generated";
import { RequestFailed, readProblem, unreachable } from "./problem";

type Schemas = components["schemas"];
export type Project = Schemas["Project"];
export type ProjectPage = Schemas["ProjectPage"];
export type ProjectSettings = Schemas["ProjectSettings"];
export type FolderPage = Schemas["FolderPage"];
export type Entry = Schemas["Entry"];
export type TextFile = Schemas["TextFile"];
export type FileNames = Schemas["FileNames"];
export type FileNameMatch = Schemas["FileNameMatch"];
export type SearchResults = Schemas["SearchResults"];
export type SearchMatch = Schemas["SearchMatch"];
export type GitState = Schemas["GitState"];
export type GitMark = GitState["files"][string];
export type DoctorReport = Schemas["DoctorReport"];
export type DoctorCheck = Schemas["DoctorCheck"];
export type SessionLink = Schemas["SessionLink"];
export type Health = Schemas["Health"];
export type Model = Schemas["Model"];
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

export interface SearchOptions {
  query: string;
  regex: boolean;
  caseSensitive: boolean;
}

type Query = Record<string, string | number | boolean | undefined>;

interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface ClientOptions {
  fetch?: typeof fetch;
  /** Called once for each answer that says the session has ended. */
  onSessionEnded?: () => void;
}

const ROOT = "/api/v1";

export class Client {
  readonly #fetch: typeof fetch;
  readonly #onSessionEnded: () => void;

  constructor(options: ClientOptions = {}) {
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#onSessionEnded = options.onSessionEnded ?? (() => undefined);
  }

  health(): Promise<Health> {
    return this.#json("/health");
  }

  projects(cursor?: string): Promise<ProjectPage> {
    return this.#json("/projects", { query: { cursor } });
  }

  currentProject(): Promise<Project> {
    return this.#json("/projects/current");
  }

  project(id: string): Promise<Project> {
    return this.#json(projectPath(id));
  }

  addProject(path: string): Promise<Project> {
    return this.#json("/projects", { method: "POST", body: { path } });
  }

  /** Saves a project; fails with 412 when somebody else changed it since it was read. */
  saveProject(project: Project, change: { name: string }): Promise<Project> {
    return this.#json(projectPath(project.id), {
      method: "PUT",
      body: { name: change.name, settings: project.settings },
      headers: { "If-Match": `"${String(project.version)}"` },
    });
  }

  async removeProject(id: string, confirm: string): Promise<void> {
    await this.#send(projectPath(id), { method: "DELETE", query: { confirm } });
  }

  openProject(id: string): Promise<Project> {
    return this.#json(projectPath(id, "open"), { method: "POST" });
  }

  folder(id: string, path: string, cursor?: string, signal?: AbortSignal): Promise<FolderPage> {
    return this.#json(projectPath(id, "folder"), { query: { path, cursor }, signal });
  }

  file(id: string, path: string, signal?: AbortSignal): Promise<TextFile> {
    return this.#json(projectPath(id, "file"), { query: { path }, signal });
  }

  fileNames(id: string, query: string, limit: number, signal?: AbortSignal): Promise<FileNames> {
    return this.#json(projectPath(id, "file-names"), { query: { query, limit }, signal });
  }

  search(id: string, options: SearchOptions, signal?: AbortSignal): Promise<SearchResults> {
    return this.#json(projectPath(id, "search"), { query: { ...options }, signal });
  }

  git(id: string): Promise<GitState> {
    return this.#json(projectPath(id, "git"));
  }

  doctor(): Promise<DoctorReport> {
    return this.#json("/doctor");
  }

  newSessionLink(): Promise<SessionLink> {
    return this.#json("/session/link", { method: "POST" });
  }

  async signOut(): Promise<void> {
    await this.#send("/session", { method: "DELETE" });
  }

  models(): Promise<ModelList> {
    return this.#json("/models");
  }

  /** Takes a model for new chats; null leaves the choice to Recto. */
  chooseModel(id: string | null): Promise<ModelList> {
    return this.#json("/models/default", { method: "PUT", body: { id } });
  }

  /** Asks every provider whose key is set for its models. Takes as long as the slowest. */
  checkModels(signal?: AbortSignal): Promise<ModelCheck> {
    return this.#json("/models/check", { method: "POST", signal });
  }

  providers(): Promise<ProviderList> {
    return this.#json("/providers");
  }

  async saveKey(name: string, value: string): Promise<void> {
    await this.#send(keyPath(name), { method: "PUT", body: { value } });
  }

  async removeKey(name: string): Promise<void> {
    await this.#send(keyPath(name), { method: "DELETE" });
  }

  budget(): Promise<BudgetState> {
    return this.#json("/budget");
  }

  saveBudget(change: BudgetUpdate): Promise<BudgetState> {
    return this.#json("/budget", { method: "PUT", body: change });
  }

  /** What a month cost; without one, this month. */
  usage(month?: string, signal?: AbortSignal): Promise<UsageReport> {
    return this.#json("/usage", { query: { month }, signal });
  }

  async #json<T>(path: string, call: Call = {}): Promise<T> {
    const response = await this.#send(path, call);
    // The shape is the server's own: generated.ts comes from the same schema that wrote this body.
    return (await response.json()) as T;
  }

  async #send(path: string, call: Call): Promise<Response> {
    const init: RequestInit = { method: call.method ?? "GET", headers: { ...call.headers } };
    if (call.signal) init.signal = call.signal;
    if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      init.headers = { ...call.headers, "Content-Type": "application/json" };
    }
    const response = await this.#reach(`${ROOT}${path}${queryString(call.query)}`, init);
    if (response.ok) return response;
    if (response.status === 401) this.#onSessionEnded();
    throw new RequestFailed(await readProblem(response));
  }

  async #reach(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      // fetch says TypeError for every network failure; an abort must stay an abort.
      if (error instanceof TypeError) throw new RequestFailed(unreachable(), { cause: error });
      throw error;
    }
  }
}

/** Where a month's requests can be downloaded, one row each. */
export function usageTableAddress(month: string): string {
  return `${ROOT}/usage.csv${queryString({ month })}`;
}

function keyPath(name: string): string {
  return `/keys/${encodeURIComponent(name)}`;
}

function projectPath(id: string, part?: string): string {
  const root = `/projects/${encodeURIComponent(id)}`;
  return part ? `${root}/${part}` : root;
}

function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}
