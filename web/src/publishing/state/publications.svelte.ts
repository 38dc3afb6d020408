/** What is being published in a project: a run goes on when its dialog is closed. */
import type { ReferencesClient } from "../../api";
import { Publishing } from "./publishing.svelte";

export class Publications {
  /** The run whose dialog was closed, or the one that it shows. */
  current = $state.raw<Publishing | null>(null);

  constructor(
    readonly client: ReferencesClient,
    readonly projectId: string,
  ) {}

  /** The run of a document that goes on; else a new one is begun. */
  of(path: string): Publishing {
    const running = this.current;
    if (running?.isRunning === true && running.path === path) return running;
    const begun = new Publishing(this.client, this.projectId, path);
    if (running?.isRunning !== true) this.current = begun;
    return begun;
  }
}
