/**
 * Which version of a picture shows: it is asked for again when something in its folder has changed. A picture that is
 * only named is looked for, and again when it may have come or gone.
 */
import { beside, folderOf, nameOf } from "../../core/paths";
import { isPicture } from "./file-kinds";

interface Named {
  /** The pictures of the name, wherever they lie; null while they are looked for the first time. */
  paths: readonly string[] | null;
  isStale: boolean;
}

export class Pictures {
  /** Grows with every change, in whichever folder. */
  changes = $state(0);
  readonly #folders = new Map<string, number>();
  readonly #named = new Map<string, Named>();
  readonly #find: (name: string) => Promise<readonly string[]>;
  #all = 0;

  /** `find` gives the paths of files whose name is like one. */
  constructor(find: (name: string) => Promise<readonly string[]>) {
    this.#find = find;
  }

  onFiles(folders: readonly string[], all: boolean): void {
    this.changes += 1;
    if (all) this.#all = this.changes;
    for (const folder of folders) this.#folders.set(folder, this.changes);
    for (const known of this.#named.values()) {
      known.isStale ||= all || !known.paths?.length || known.paths.some((path) => folders.includes(folderOf(path)));
    }
  }

  /** The picture that a file names: beside it, at that path, or else the nearest to the top; undefined while it is looked for. */
  named(name: string, file: string): string | null | undefined {
    const known = this.#named.get(name) ?? { paths: null, isStale: true };
    this.#named.set(name, known);
    if (known.isStale) this.#look(name, known);
    if (!known.paths) return undefined;
    const wanted = [beside(file, name), name].map((path) => path.toLowerCase());
    return known.paths.find((path) => wanted.includes(path.toLowerCase())) ?? known.paths[0] ?? null;
  }

  #look(name: string, known: Named): void {
    known.isStale = false;
    this.#find(name).then(
      (found) => {
        const end = `/${name.replace(/^(?:\.{0,2}\/)+/, "")}`.toLowerCase();
        known.paths = found
          .filter((path) => isPicture(path) && `/${path}`.toLowerCase().endsWith(end))
          .sort((one, other) => one.split("/").length - other.split("/").length || one.localeCompare(other));
        this.changes += 1;
      },
      (error: unknown) => {
        // Looked for again with the next change in the folder; until then its name is shown.
        console.warn(`The picture ${nameOf(name)} could not be looked for.`, error);
      },
    );
  }

  /** Changes when the picture may have. */
  versionOf(path: string): number {
    return Math.max(this.#all, this.#folders.get(folderOf(path)) ?? 0);
  }
}
