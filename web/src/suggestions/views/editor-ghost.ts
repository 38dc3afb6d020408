/** Who suggests in the texts of a workspace. */
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import { Ghost } from "../state/suggestions";

export function ghostAround(app: App, workspace: Workspace): Ghost {
  return new Ghost({
    client: app.client.suggest,
    projectId: workspace.projectId,
    settings: () => app.preferences.editor,
    onUnanswered: (paths) => { workspace.instructions.onUnanswered(paths); },
    onFailed: (why) => { app.toasts.show(why); },
  });
}
