/** What the threads of a text ask of the page. */
import type { ThreadsAround } from "../../editor";
import type { App } from "../../app/app.svelte";
import { enterThread } from "../commands";
import type { Workspace } from "../../app/workspace.svelte";

export function threadsAround(app: App, workspace: Workspace): ThreadsAround {
  return {
    open: (id) => { enterThread(app, id); },
    openAll: () => { app.openThread(null); },
    onSeen: (path, seen) => { workspace.threads.onSeen(path, seen); },
  };
}
