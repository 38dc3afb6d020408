/** A project's skills: built in, the person's own, and found in the folder. Which ones are on is the tab's own matter (Picked). */
import { RequestFailed, type Skill, type SkillForm, type SkillsClient } from "../../api";
import { ServerList } from "../../core/server-list.svelte";
import type { Background } from "../../core/background";

const STALE = [404, 409, 412];
/** Where found skills stand. */
const HOMES = [".agents", ".recto"];

export interface SkillsSource {
  client: SkillsClient;
  projectId: string;
  background: Background;
}

/** What the form is about: a skill, or a new one that may begin as another reads. */
export interface SkillEdited {
  skill: Skill | null;
  copied: SkillForm | null;
}

export class Skills {
  edited = $state.raw<SkillEdited>({ skill: null, copied: null });
  /** The one whose text is shown, as it was when that began. */
  read = $state.raw<Skill | null>(null);
  readonly #source: SkillsSource;
  readonly #listing: ServerList<Skill>;
  #model: string | null = null;

  constructor(source: SkillsSource) {
    this.#source = source;
    this.#listing = new ServerList((cursor) => source.client.list(source.projectId, this.#model, cursor));
  }

  get list(): readonly Skill[] {
    return this.#listing.items;
  }

  /** Those that can be switched on now. */
  get usable(): readonly Skill[] {
    return this.list.filter(isUsable);
  }

  /** Those of one source, by name. */
  of(source: Skill["source"]): readonly Skill[] {
    return this.list.filter((skill) => skill.source === source).sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Found ones that nobody has agreed to yet. */
  get waiting(): readonly Skill[] {
    return this.list.filter(({ problem, trusted }) => problem === null && !trusted);
  }

  get isLoaded(): boolean {
    return this.#listing.isLoaded;
  }

  get problem() {
    return this.#listing.problem;
  }

  load(): Promise<void> {
    return this.#listing.load();
  }

  /** Counts as a model does from now on. */
  countAs(model: string): void {
    if (model === this.#model) return;
    this.#model = model;
    this.onChange();
  }

  find(id: string): Skill | null {
    return this.#listing.find(id);
  }

  /** Something about a skill has changed. */
  onChange(): void {
    this.#source.background(this.load());
  }

  /** Follows a change on disk: skills may have come, gone or changed. */
  onFiles(folders: readonly string[], all: boolean): void {
    const touched = (folder: string) => folder === "" || HOMES.some((home) => folder === home || folder.startsWith(`${home}/`));
    if (all || folders.some(touched)) this.onChange();
  }

  async create(form: SkillForm): Promise<Skill> {
    const made = await this.#source.client.create(this.#source.projectId, form);
    this.#listing.put(made);
    return made;
  }

  /** Saves a skill of the person's own. When somebody else changed it, it is read again and the failure (412) is passed on. */
  save(skill: Skill, form: SkillForm): Promise<Skill> {
    return this.#keep(this.#source.client.save(this.#source.projectId, skill, form));
  }

  /** Says whether a found skill may be used as it reads now. */
  trust({ id }: Skill, hash: string, trusted: boolean): Promise<Skill> {
    return this.#keep(this.#source.client.trust(this.#source.projectId, id, hash, trusted));
  }

  async remove({ id }: Skill): Promise<void> {
    await this.#source.client.remove(this.#source.projectId, id);
    this.#listing.drop(id);
  }

  async #keep(asked: Promise<Skill>): Promise<Skill> {
    try {
      const saved = await asked;
      this.#listing.put(saved);
      return saved;
    } catch (error) {
      if (error instanceof RequestFailed && STALE.includes(error.status)) await this.load();
      throw error;
    }
  }
}

export function isUsable({ problem, trusted }: Skill): boolean {
  return problem === null && trusted;
}

export function formOf({ name, description, prompt, color, files, tools, model }: Skill): SkillForm {
  return { name, description, prompt, color, files, tools, model };
}
