/** The open files on one side of the document: order, the chosen one, the preview, and what was open lately. */
import { afterMove } from "../../core/paths";
import { isText, isTextList, recall, remember } from "../../core/browser-storage";

export interface Tab {
  readonly path: string;
  /** A tab that is not pinned is a preview: the next preview takes its place. */
  readonly pinned: boolean;
}

interface Remembered {
  items: Tab[];
  active: string | null;
}

const RECENT_MAX = 20;
const CLOSED_MAX = 20;

/** The files that were shown last in a project, newest first. */
export class Recent {
  list = $state.raw<readonly string[]>([]);
  readonly #key: string;

  constructor(projectId: string) {
    this.#key = `recent.${projectId}`;
    this.list = recall(this.#key, isTextList) ?? [];
  }

  note(path: string): void {
    this.list = [path, ...this.list.filter((item) => item !== path)].slice(0, RECENT_MAX);
    remember(this.#key, this.list);
  }

  /** A file, or a folder, has another path now. */
  rename(path: string, newPath: string): void {
    this.list = [...new Set(this.list.map((one) => afterMove(one, path, newPath)))];
    remember(this.#key, this.list);
  }
}

/** Where tabs are: on the left, which is all there is without a split, or on the right. */
export type Side = "left" | "right";

export class Tabs {
  readonly side: Side;
  items = $state.raw<readonly Tab[]>([]);
  active = $state<string | null>(null);
  /** What was closed, the last first. */
  closed = $state.raw<readonly Tab[]>([]);
  readonly #recent: Recent;
  readonly #key: string;

  constructor(projectId: string, side: Side = "left", recent: Recent = new Recent(projectId)) {
    this.side = side;
    this.#key = side === "left" ? `tabs.${projectId}` : `tabs.${projectId}.${side}`;
    this.#recent = recent;
    const memory = recall(this.#key, isRemembered, "tab-first") ?? { items: [], active: null };
    this.items = memory.items;
    this.active = this.#has(memory.active) ? memory.active : (this.items[0]?.path ?? null);
  }

  get recent(): readonly string[] {
    return this.#recent.list;
  }

  /** Shows a file; pins its tab when asked to. */
  open(path: string, pinned: boolean): void {
    const known = this.items.find((tab) => tab.path === path);
    if (known) this.items = this.items.map((tab) => (tab === known && pinned ? { path, pinned: true } : tab));
    else this.items = this.#withNew({ path, pinned });
    this.#activate(path);
  }

  activate(path: string): void {
    if (this.#has(path)) this.#activate(path);
  }

  pin(path: string): void {
    if (!this.items.some((tab) => tab.path === path && !tab.pinned)) return;
    this.items = this.items.map((tab) => (tab.path === path ? { path, pinned: true } : tab));
    this.#save();
  }

  close(path: string): void {
    const at = this.items.findIndex((tab) => tab.path === path);
    if (at < 0) return;
    this.#noteClosed(this.items.filter((tab) => tab.path === path));
    this.items = this.items.filter((tab) => tab.path !== path);
    if (this.active === path) this.active = (this.items[at] ?? this.items[at - 1])?.path ?? null;
    this.#save();
  }

  /** A file, or a folder, has another path now. */
  rename(path: string, newPath: string): void {
    const active = this.active === null ? null : afterMove(this.active, path, newPath);
    const moved = this.items.map((tab) => ({ ...tab, path: afterMove(tab.path, path, newPath) }));
    // A tab of the new name may stand there from before.
    this.items = moved.filter((tab, at) => moved.findIndex((one) => one.path === tab.path) === at);
    this.active = active;
    this.closed = this.closed.map((tab) => ({ ...tab, path: afterMove(tab.path, path, newPath) }));
    this.#save();
  }

  closeOthers(path: string): void {
    this.#noteClosed(this.items.filter((tab) => tab.path !== path));
    this.items = this.items.filter((tab) => tab.path === path);
    this.active = this.items[0]?.path ?? null;
    this.#save();
  }

  closeAll(): void {
    this.#noteClosed(this.items);
    this.items = [];
    this.active = null;
    this.#save();
  }

  /** Opens again what was closed last, and is not open by another way. */
  reopen(): void {
    const [last, ...earlier] = this.closed.filter((tab) => !this.#has(tab.path));
    this.closed = earlier;
    if (last) this.open(last.path, true);
  }

  /** Takes in the tabs of another side and shows one of all. */
  takeIn(others: readonly Tab[], active: string | null): void {
    this.items = [...this.items, ...others.filter((other) => !this.#has(other.path))];
    this.active = this.#has(active) ? active : (this.items[0]?.path ?? null);
    this.#save();
  }

  /** Puts a tab at an index, counted without it. */
  moveTo(path: string, index: number): void {
    const tab = this.items.find((item) => item.path === path);
    if (!tab) return;
    const rest = this.items.filter((item) => item !== tab);
    const at = Math.min(rest.length, Math.max(0, index));
    this.items = [...rest.slice(0, at), tab, ...rest.slice(at)];
    this.#save();
  }

  moveBy(path: string, step: number): void {
    this.moveTo(path, this.items.findIndex((tab) => tab.path === path) + step);
  }

  /** Chooses the next or previous tab, round the end. */
  step(step: number): void {
    const count = this.items.length;
    if (count === 0) return;
    const at = this.items.findIndex((tab) => tab.path === this.active);
    const next = this.items[(at + step + count) % count];
    if (next) this.#activate(next.path);
  }

  #withNew(tab: Tab): readonly Tab[] {
    const preview = this.items.findIndex((item) => !item.pinned);
    if (!tab.pinned && preview >= 0) return this.items.with(preview, tab);
    const at = this.items.findIndex((item) => item.path === this.active) + 1;
    return at === 0 ? [...this.items, tab] : this.items.toSpliced(at, 0, tab);
  }

  #noteClosed(tabs: readonly Tab[]): void {
    const paths = new Set(tabs.map((tab) => tab.path));
    this.closed = [...tabs.toReversed(), ...this.closed.filter((tab) => !paths.has(tab.path))].slice(0, CLOSED_MAX);
  }

  #activate(path: string): void {
    this.active = path;
    this.#recent.note(path);
    this.#save();
  }

  #has(path: string | null): boolean {
    return this.items.some((tab) => tab.path === path);
  }

  #save(): void {
    const memory: Remembered = { items: [...this.items], active: this.active };
    remember(this.#key, memory, "tab-first");
  }
}

function isTab(value: unknown): value is Tab {
  return (
    typeof value === "object" && value !== null &&
    "path" in value && isText(value.path) &&
    "pinned" in value && typeof value.pinned === "boolean"
  );
}

function isRemembered(value: unknown): value is Remembered {
  return (
    typeof value === "object" && value !== null &&
    "items" in value && Array.isArray(value.items) && value.items.every(isTab) &&
    "active" in value && (value.active === null || isText(value.active))
  );
}
