/** What can be done with the shown document by and about AI, for the palette, the keys and the document's menu. */
import { problemOf, type Transform } from "../api";
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import { showsAs } from "../documents/state/file-kinds";
import { transformTitle } from "./state/transforms.svelte";
import { editablePath, livePath } from "../app/live-path";

/** What the document's menu holds of these. */
export const DOCUMENT_MENU = ["ask-document", "show-authors", "who-wrote", "word-as-markdown", "versions"];

export function documentCommands(app: App): Command[] {
  const group = "Document";
  const shown = () => app.workspace !== null && livePath(app) !== null && !app.layout.versoHidden;
  const authored = () => shown() || changeable();
  const changeable = () => app.workspace !== null && editablePath(app) !== null && !app.layout.versoHidden;
  return [
    { id: "ask-document", title: "Ask for a change in this document…", group, keys: ["Mod+I"], enabled: changeable, run: () => { app.workspace?.agent.openField(); } },
    { id: "show-authors", title: "Show who wrote what", group, keys: [], enabled: shown, run: () => { toggleAuthors(app); } },
    { id: "who-wrote", title: "Who wrote this…", group, keys: [], enabled: authored, run: () => { app.showDialog("authors"); } },
    { id: "word-as-markdown", title: "Save a copy as Markdown", group, keys: [], enabled: () => app.workspace !== null && isWord(app), run: () => { app.background(copyAsMarkdown(app)); } },
    { id: "versions", title: "Versions…", group, keys: [], enabled: shown, run: () => { app.showDialog("versions"); } },
  ];
}

/** The ready requests about a passage, as commands of their own; they come from the server. */
export function transformCommands(app: App): Command[] {
  const enabled = () => editablePath(app) !== null && (app.viewer?.selected() ?? null) !== null;
  return (app.workspace?.transforms.list ?? []).map((transform) => ({
    id: `transform-${transform.id}`,
    title: `Selection: ${transformTitle(transform)}`,
    group: "Document",
    keys: [],
    enabled,
    run: () => { startTransform(app, transform); },
  }));
}

/** Begins a ready request about the selection; one that asks for more asks first. */
export function startTransform(app: App, transform: Transform): void {
  const path = editablePath(app);
  const agent = app.workspace?.agent;
  if (path === null || !agent) return;
  if (transform.argument !== null) agent.openField(transform);
  else {
    app.viewer?.dismissSelection();
    app.background(agent.ask(path, { transform, argument: null }, () => app.viewer?.selected() ?? null));
  }
}

function isWord(app: App): boolean {
  return showsAs(app.workspace?.tabs.active ?? "") === "word";
}

async function copyAsMarkdown(app: App): Promise<void> {
  const { workspace } = app;
  const path = workspace?.tabs.active ?? null;
  if (!workspace || path === null) return;
  try {
    await workspace.documents.stored(path);
    app.openFile(await app.client.word.copyAsMarkdown(workspace.projectId, path), true);
  } catch (error) {
    app.toasts.show(problemOf(error).detail);
  }
}

function toggleAuthors(app: App): void {
  const authorship = app.workspace?.authorship;
  if (authorship) authorship.isShown = !authorship.isShown;
}
