/** The ticks of the file tree. A folder is ticked as far as its files are: what lies in it at any depth is the server's to say. */
import type { FileNames } from "../../api";
import { FILES_MAX, type Picked } from "./picked.svelte";
import type { TreeNode } from "../../files/state/tree-rows";

export type TickState = "on" | "some" | "off";

export interface TicksSource {
  picked: Picked;
  /** The files in a folder, ignored ones aside, and how many there are. */
  readUnder(folder: string, limit: number): Promise<FileNames>;
}

export class Ticks {
  readonly #source: TicksSource;
  /** How many files a folder holds, ignored ones aside. Replaced as a whole, never changed in place. */
  #totals = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** Folders whose number may have changed; the old one stands until the new one is known. */
  #stale = $state.raw<ReadonlySet<string>>(new Set());
  readonly #asking = new Set<string>();

  constructor(source: TicksSource) {
    this.#source = source;
  }

  stateOf(node: TreeNode): TickState {
    const { picked } = this.#source;
    if (node.path === null) return "off";
    if (!node.isFolder) return picked.files.has(node.path) ? "on" : "off";
    const inside = picked.countInside(node.path);
    if (inside === 0) return "off";
    return inside === this.#totals.get(node.path) ? "on" : "some";
  }

  /** Ticks a file or everything in a folder, or unticks it. Answers in words why that could not be done. */
  async toggle(node: TreeNode): Promise<string | null> {
    const { picked } = this.#source;
    if (node.path === null) return `${node.name} can't be ticked: its name is not valid text.`;
    if (!node.isFolder) return picked.setFiles([node.path], !picked.files.has(node.path)) ? null : tooMany();
    if (this.stateOf(node) === "on") {
      picked.untickInside(node.path);
      return null;
    }
    return this.#tickFolder(node.path, node.name);
  }

  /** These folders are in view: how full they are is asked where ticks lie in them. */
  async show(folders: readonly string[]): Promise<void> {
    const unknown = folders.filter(
      (folder) => this.#source.picked.countInside(folder) > 0 && (!this.#totals.has(folder) || this.#stale.has(folder)) && !this.#asking.has(folder),
    );
    await Promise.all(unknown.map((folder) => this.#count(folder)));
  }

  /** Follows a change on disk. */
  onFiles(folders: readonly string[], all: boolean): void {
    const holds = (known: string) => all || folders.some((folder) => folder === known || folder.startsWith(`${known}/`));
    const stale = [...this.#totals.keys()].filter(holds);
    if (stale.length > 0) this.#stale = new Set([...this.#stale, ...stale]);
  }

  async #tickFolder(folder: string, name: string): Promise<string | null> {
    const { items, total, truncated } = await this.#source.readUnder(folder, FILES_MAX);
    this.#know(folder, total);
    if (total === 0) return `${name} holds no file that could be ticked at once. Ignored files are ticked one by one.`;
    if (total > items.length || truncated) return `${name} holds ${total.toLocaleString("en")} files. ${tooMany()}`;
    return this.#source.picked.setFiles(items.map(({ path }) => path), true) ? null : tooMany();
  }

  async #count(folder: string): Promise<void> {
    this.#asking.add(folder);
    this.#stale = without(this.#stale, folder);
    try {
      this.#know(folder, (await this.#source.readUnder(folder, 1)).total);
    } finally {
      this.#asking.delete(folder);
    }
  }

  #know(folder: string, total: number): void {
    this.#totals = new Map([...this.#totals, [folder, total]]);
  }
}

function tooMany(): string {
  return `At most ${FILES_MAX.toLocaleString("en")} files can be ticked.`;
}

function without(set: ReadonlySet<string>, one: string): ReadonlySet<string> {
  return set.has(one) ? new Set([...set].filter((other) => other !== one)) : set;
}
