/** What can be done with the git repository of the folder, for the palette and the keys. */
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";

export function changesCommands(app: App): Command[] {
  const group = "Git";
  const ready = () => app.workspace !== null && app.route.section === null;
  return [
    { id: "changes", title: "Show changes, stage and commit", group, keys: [], enabled: ready, run: () => { app.showLeft("changes"); } },
    { id: "blame", title: "Who changed the line of the cursor, shown or not", group, keys: [], enabled: ready, run: () => { app.layout.blamed = !app.layout.blamed; } },
  ];
}
