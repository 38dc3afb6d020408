/** Which version of a picture shows: it is asked for again when something in its folder has changed. */
import { folderOf } from "../../core/paths";

export class Pictures {
  /** Grows with every change, in whichever folder. */
  changes = $state(0);
  readonly #folders = new Map<string, number>();
  #all = 0;

  onFiles(folders: readonly string[], all: boolean): void {
    this.changes += 1;
    if (all) this.#all = this.changes;
    for (const folder of folders) this.#folders.set(folder, this.changes);
  }

  /** Changes when the picture may have. */
  versionOf(path: string): number {
    return Math.max(this.#all, this.#folders.get(folderOf(path)) ?? 0);
  }
}
