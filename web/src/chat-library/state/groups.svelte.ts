/** A project's chat folders, kept in step with the server: their order, what lies in what, and which are folded. */
import { type ChatGroup, type GroupChange, type GroupsClient, type Problem, type ProjectSettings, RequestFailed } from "../../api";
import { ServerList } from "../../core/server-list.svelte";
import type { Defaults } from "../../picks/state/pick-values";
import { isTextList, recall, remember } from "../../core/browser-storage";
import { Overtaken, saveSeen } from "../../core/concurrent-save";
import type { Background } from "../../core/background";

export interface GroupsSource {
  client: GroupsClient;
  projectId: string;
  background: Background;
}

/** How deep folders lie in each other at most. */
export const DEPTH_MAX = 6;

export class Groups {
  /** Every folder, in its order among its siblings. */
  readonly list: readonly ChatGroup[] = $derived.by(() => [...this.#listing.items].sort(inOrder));
  readonly #byId = $derived(new Map(this.list.map((group) => [group.id, group])));
  readonly #source: GroupsSource;
  readonly #listing: ServerList<ChatGroup>;
  #folded = $state.raw<ReadonlySet<string>>(new Set());
  #moving: Promise<unknown> = Promise.resolve();

  constructor(source: GroupsSource) {
    this.#source = source;
    this.#listing = new ServerList(async () => ({ items: await source.client.list(source.projectId), nextCursor: null }));
    this.#folded = new Set(recall(this.#key, isTextList) ?? []);
  }

  get isLoaded(): boolean {
    return this.#listing.isLoaded;
  }

  get problem(): Problem | null {
    return this.#listing.problem;
  }

  load(): Promise<void> {
    return this.#listing.load();
  }

  /** The server says that folders have changed. */
  onChange(): void {
    this.#source.background(this.load());
  }

  find(id: string | null): ChatGroup | null {
    return id === null ? null : (this.#byId.get(id) ?? null);
  }

  /** The folders directly in a folder, or in none. A folder whose parent is gone lies in none. */
  inside(parentId: string | null): readonly ChatGroup[] {
    return this.list.filter((group) => (this.find(group.parentId)?.id ?? null) === parentId);
  }

  /** The folders from the outermost to this one. */
  pathTo(id: string | null): readonly ChatGroup[] {
    const path: ChatGroup[] = [];
    for (let group = this.find(id); group && !path.includes(group); group = this.find(group.parentId)) path.unshift(group);
    return path;
  }

  /** Whether a folder can lie in another: not in itself, and not too deep. */
  canLieIn(id: string, parentId: string | null): boolean {
    const path = this.pathTo(parentId);
    return !path.some((group) => group.id === id) && path.length + this.#height(id) <= DEPTH_MAX;
  }

  isOpen(id: string): boolean {
    return !this.#folded.has(id);
  }

  setOpen(id: string, isOpen: boolean): void {
    const folded = new Set(this.#folded);
    if (isOpen) folded.delete(id);
    else folded.add(id);
    this.#fold(folded);
  }

  foldAll(): void {
    this.#fold(new Set(this.list.map(({ id }) => id)));
  }

  /** What a new chat of a folder begins with; what the folder leaves open, the project says. */
  defaultsIn(groupId: string | null, project: Pick<ProjectSettings, "defaultContextIds" | "defaultSkillIds">): Defaults {
    const group = this.find(groupId);
    return {
      contextIds: group?.defaultContextIds.length ? group.defaultContextIds : (project.defaultContextIds ?? []),
      skillIds: group?.defaultSkillIds.length ? group.defaultSkillIds : (project.defaultSkillIds ?? []),
    };
  }

  async add(name: string, parentId: string | null, given: Partial<GroupChange> = {}): Promise<ChatGroup> {
    const made = await this.#source.client.create(this.#source.projectId, { ...given, name, parentId });
    this.#listing.put(made);
    if (parentId !== null) this.setOpen(parentId, true);
    return made;
  }

  /** Changes a folder as it was seen. Raises Overtaken where another tab changed the same of it meanwhile. */
  async change(seen: ChatGroup, change: Partial<GroupChange>): Promise<ChatGroup> {
    const { client } = this.#source;
    try {
      const saved = await saveSeen<ChatGroup, Partial<GroupChange>>(seen, change, { save: (onto, what) => client.save(onto, what), read: () => this.#readOne(seen), words });
      this.#listing.put(saved);
      return saved;
    } catch (error) {
      if (error instanceof Overtaken) this.#listing.put(error.now as ChatGroup);
      this.onChange();
      throw error;
    }
  }

  /** Puts a folder into another, or in none, before one of those there; null is the end. */
  move(id: string, parentId: string | null, beforeId: string | null): Promise<void> {
    return this.#inTurn(() => this.#move(id, parentId, beforeId));
  }

  /** Moves a folder one place up or down among its siblings; tells whether there was one. */
  step(id: string, by: 1 | -1): Promise<boolean> {
    return this.#inTurn(() => this.#step(id, by));
  }

  /** Deletes a folder. What lay in it lies where the folder was: chats in none, folders in its parent. */
  async remove(group: ChatGroup): Promise<void> {
    await this.#source.client.remove(this.#source.projectId, group.id);
    this.#listing.drop(group.id);
    this.onChange();
  }

  /** Where a folder goes depends on where the one before it went: quick keys must not overtake each other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#moving.then(work, work);
    this.#moving = mine.catch(() => undefined);
    return mine;
  }

  async #move(id: string, parentId: string | null, beforeId: string | null): Promise<void> {
    const group = this.find(id);
    if (!group || !this.canLieIn(id, parentId)) return;
    if ((this.find(group.parentId)?.id ?? null) !== parentId) await this.change(group, { parentId });
    const others = this.inside(parentId).filter((one) => one.id !== id);
    const at = beforeId === null ? others.length : others.findIndex((one) => one.id === beforeId);
    await this.#reorder(this.inside(parentId), [...others.slice(0, at), group, ...others.slice(at)]);
  }

  async #step(id: string, by: 1 | -1): Promise<boolean> {
    const siblings = this.inside(this.find(this.find(id)?.parentId ?? null)?.id ?? null);
    const at = siblings.findIndex((one) => one.id === id);
    const [one, other] = [siblings[at], siblings[at + by]];
    if (!one || !other) return false;
    await this.#reorder(siblings, siblings.with(at, other).with(at + by, one));
    return true;
  }

  /** Names only the folders whose places change: others are none of this tab's business. */
  async #reorder(before: readonly ChatGroup[], after: readonly ChatGroup[]): Promise<void> {
    const ids = after.filter((group, at) => group.id !== before[at]?.id).map(({ id }) => id);
    if (ids.length === 0) return;
    try {
      for (const group of await this.#source.client.reorder(this.#source.projectId, ids)) this.#listing.put(group);
    } finally {
      this.onChange();
    }
  }

  async #readOne(seen: ChatGroup): Promise<ChatGroup> {
    const now = (await this.#source.client.list(seen.projectId)).find(({ id }) => id === seen.id);
    if (!now) throw new RequestFailed({ type: "about:blank", title: "The folder is gone", status: 404, detail: `The folder “${seen.name}” was deleted elsewhere meanwhile.` });
    return now;
  }

  /** How many folders lie in each other below, itself included. */
  #height(id: string): number {
    return 1 + Math.max(0, ...this.inside(id).map((group) => this.#height(group.id)));
  }

  #fold(folded: ReadonlySet<string>): void {
    this.#folded = folded;
    remember(this.#key, [...folded].filter((id) => !this.isLoaded || this.#byId.has(id)));
  }

  get #key(): string {
    return `folded.${this.#source.projectId}`;
  }
}

function inOrder(one: ChatGroup, other: ChatGroup): number {
  return one.position - other.position || (one.id < other.id ? -1 : 1);
}

/** What another tab did to a folder that was about to be changed here. */
function words(now: ChatGroup, change: Partial<GroupChange>): string {
  if (change.name !== undefined) return `This folder is called “${now.name}” now: it was renamed elsewhere meanwhile.`;
  if (change.parentId !== undefined) return "This folder was moved elsewhere meanwhile.";
  return "This folder was changed elsewhere meanwhile.";
}
