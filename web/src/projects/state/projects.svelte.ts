/** The projects Recto knows, most recently used first, kept current by events. */
import { type Client, type Project, type ProjectSettings, RequestFailed } from "../../api";
import { isText, recall } from "../../core/browser-storage";

/** The project that the address names, or the one that was open last. */
export function wantedProject(): string | null {
  return new URLSearchParams(location.search).get("project") ?? recall("project", isText);
}

export class Projects {
  list = $state.raw<readonly Project[]>([]);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    const found: Project[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.#client.projects(cursor ?? undefined);
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    this.list = found;
  }

  find(id: string): Project | null {
    return this.list.find((project) => project.id === id) ?? null;
  }

  /** Makes a folder a project; the server answers with the one that exists when it already is. */
  async add(path: string): Promise<Project> {
    const project = await this.#client.addProject(path);
    this.put(project);
    return project;
  }

  async markOpened(id: string): Promise<Project> {
    const project = await this.#client.openProject(id);
    this.put(project);
    return project;
  }

  rename(project: Project, name: string): Promise<Project> {
    return this.#save(project, { name });
  }

  /** Whether edits of an AI wait for review in a project, or count at once. */
  async setReviewing(project: Project, on: boolean): Promise<void> {
    await this.#choose(project.id, () => ({ writePolicy: on ? "review" : "direct" }));
  }

  /** Whether notebooks of a project are saved without what their cells answered. */
  async setStripping(project: Project, on: boolean): Promise<void> {
    await this.#choose(project.id, () => ({ stripOutputs: on }));
  }

  /** What kernels of a project may do from their next start on. */
  async setKernelRights(project: Project, rights: ProjectSettings["kernelRights"]): Promise<void> {
    await this.#choose(project.id, () => ({ kernelRights: rights }));
  }

  /** Puts a context or skill among those that new chats begin with, or takes it out. */
  async setDefault(id: string, which: "defaultContextIds" | "defaultSkillIds", picked: string, on: boolean): Promise<void> {
    await this.#choose(id, (settings) => {
      const others = (settings[which] ?? []).filter((other) => other !== picked);
      return { [which]: on ? [...others, picked] : others };
    });
  }

  /** Changes settings. When the project was changed meanwhile, this is done to it as it is now: both choices stay. */
  async #choose(id: string, change: (settings: ProjectSettings) => Partial<ProjectSettings>): Promise<void> {
    const save = async () => {
      const project = this.find(id);
      if (project) await this.#save(project, { settings: change(project.settings) });
    };
    try {
      await save();
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== 412) throw error;
      await save();
    }
  }

  /** Saves a project. Fails with 412, after reading it again, when somebody else changed it. */
  async #save(project: Project, change: { name?: string; settings?: Partial<ProjectSettings> }): Promise<Project> {
    try {
      const saved = await this.#client.saveProject(project, change);
      this.put(saved);
      return saved;
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 412) await this.refresh(project.id);
      throw error;
    }
  }

  async remove(project: Project, typedName: string): Promise<void> {
    await this.#client.removeProject(project.id, typedName);
    this.drop(project.id);
  }

  /** Reads one project again; one that is gone leaves the list. */
  async refresh(id: string): Promise<void> {
    try {
      this.put(await this.#client.project(id));
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== 404) throw error;
      this.drop(id);
    }
  }

  put(project: Project): void {
    const rest = this.list.filter((item) => item.id !== project.id);
    this.list = [...rest, project].sort((a, b) => b.lastAccessedAt - a.lastAccessedAt);
  }

  drop(id: string): void {
    this.list = this.list.filter((project) => project.id !== id);
  }
}
