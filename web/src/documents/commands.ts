/** What can be done with the open document: find in it, go through it, save it, show it otherwise. */
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import { showsAs } from "./state/file-kinds";
import type { Format } from "./state/viewer";

/** What changes come back into, and what they come back in. */
const BROUGHT_BACK = new Set(["markdown", "word"]);
const PUBLISHED = new Set(["markdown", "notebook"]);

export function editorCommands(app: App): Command[] {
  return [...writing(app), ...places(app), ...views(app)];
}

/** Forms of Markdown and of Word, for what is selected. They stand first: Ctrl+B means the panel only where nobody writes. */
function writing(app: App): Command[] {
  const form = (wanted: Format, title: string, keys: string[] = []): Command => ({
    id: `format-${wanted}`,
    title,
    group: "Writing",
    keys,
    enabled: () => app.viewer?.canFormat(wanted) === true && app.route.section === null,
    run: () => { app.viewer?.format(wanted); },
  });
  return [
    form("bold", "Bold", ["Mod+B"]),
    form("italic", "Italic", ["Mod+Shift+I"]),
    form("code", "Code in a line"),
    form("strikethrough", "Strikethrough"),
    form("link", "Link", ["Mod+Shift+K"]),
    ...(["1", "2", "3", "4", "5", "6"] as const).map((level) => form(`heading-${level}`, `Heading ${level}`, [`Mod+Alt+${level}`])),
    form("paragraph", "Plain paragraph", ["Mod+Alt+0"]),
    form("bullets", "List with bullets"),
    form("numbers", "Numbered list"),
    form("tasks", "List of tasks"),
    form("quote", "Quotation"),
  ];
}

function places(app: App): Command[] {
  const group = "Document";
  const inText = () => app.viewer !== null && !app.layout.versoHidden && app.route.section === null;
  return [
    { id: "save", title: "Save now", group, keys: ["Mod+S"], enabled: () => app.workspace !== null && app.route.section === null, run: () => { save(app); } },
    { id: "suggest", title: "Suggest how the text goes on", group, keys: ["Alt+\\"], enabled: inText, run: () => { app.viewer?.suggest(); } },
    { id: "find", title: "Find in the document", group, keys: ["Mod+F"], enabled: inText, run: () => { app.viewer?.openFind(); } },
    // The second for macOS, where the first hides the browser.
    { id: "replace", title: "Replace in the document", group, keys: ["Mod+H", "Mod+Alt+F"], enabled: inText, run: () => { app.viewer?.openReplace(); } },
    { id: "find-next", title: "Find next", group, keys: ["F3"], enabled: inText, run: () => { app.viewer?.findAgain(1); } },
    { id: "find-previous", title: "Find previous", group, keys: ["Shift+F3"], enabled: inText, run: () => { app.viewer?.findAgain(-1); } },
    { id: "outline", title: "Go to a heading or definition", group, keys: ["Mod+J"], enabled: inText, run: () => { app.background(showOutline(app, "")); } },
    { id: "go-to-line", title: "Go to line", group, keys: ["Mod+Alt+G"], enabled: inText, run: () => { app.background(showOutline(app, ":")); } },
  ];
}

function views(app: App): Command[] {
  const group = "Document";
  const panes = () => app.workspace?.panes;
  const inWorkspace = () => app.workspace !== null && app.route.section === null;
  const settled = (run: () => void) => () => {
    run();
    app.workspace?.settle();
  };
  return [
    { id: "rendered", title: "Markdown as it reads, or its source", group, keys: ["Mod+E"], enabled: () => inWorkspace() && app.workspace?.tabs.active !== null && !app.layout.versoHidden, run: () => { app.layout.rendered = !app.layout.rendered; } },
    { id: "publish", title: "Publish as PDF, Word, HTML…", group, keys: [], enabled: () => inWorkspace() && app.workspace !== null && PUBLISHED.has(showsAs(app.workspace.tabs.active ?? "")), run: () => { app.showDialog("publish"); } },
    { id: "bring-back", title: "Bring back changes from Word…", group, keys: [], enabled: () => inWorkspace() && BROUGHT_BACK.has(showsAs(app.workspace?.tabs.active ?? "")), run: () => { app.showDialog("bring-back"); } },
    { id: "wrap", title: "Wrap long lines of code, or don't", group, keys: ["Alt+Z"], enabled: inWorkspace, run: () => { app.layout.wrapped = !app.layout.wrapped; } },
    { id: "split", title: "Split right", group, keys: [], enabled: () => inWorkspace() && app.layout.canSplit && panes()?.isSplit === false && panes()?.active.active !== null, run: settled(() => panes()?.split()) },
    { id: "close-split", title: "Close the split", group, keys: [], enabled: () => inWorkspace() && panes()?.isSplit === true, run: settled(() => panes()?.join()) },
    { id: "other-side", title: "Go to the other side of the split", group, keys: [], enabled: () => inWorkspace() && panes()?.isSplit === true, run: settled(() => { goToOther(app); }) },
    { id: "focus-mode", title: "Focus mode", group, keys: ["Shift+F11"], enabled: inWorkspace, run: () => { app.layout.toggleFocus(); } },
  ];
}

/** The browser went back or forward: the file of that step is shown again. */
export function goToStep(app: App, state: unknown): void {
  const path = app.workspace?.panes.places.pathOf(state) ?? null;
  if (path !== null && path !== app.workspace?.tabs.active) app.workspace?.open(path, false);
}

function save(app: App): void {
  const path = app.workspace?.tabs.active ?? null;
  if (path !== null) app.workspace?.documents.sync?.save(path);
}

async function showOutline(app: App, query: string): Promise<void> {
  const { viewer } = app;
  if (!viewer) return;
  app.outline.show(await viewer.overview(), query);
  app.outline.links = null;
  if (app.viewer !== viewer) return;
  app.showDialog("outline");
  await readLinks(app);
}

/** Who links to the open file is looked for when its outline is asked for, not while somebody types. */
async function readLinks(app: App): Promise<void> {
  const { workspace } = app;
  const path = workspace?.tabs.active ?? null;
  if (!workspace || path === null) return;
  await workspace.documents.stored(path);
  const links = await app.client.files.links(workspace.projectId, path);
  if (workspace.tabs.active === path) app.outline.links = { path, ...links };
}

function goToOther(app: App): void {
  const panes = app.workspace?.panes;
  panes?.focusOther();
  const path = panes?.active.active ?? null;
  if (path !== null && app.workspace) app.workspace.documents.get(path).wantsFocus = true;
}
