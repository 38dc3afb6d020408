/** Every action of the page, once: the palette, the shortcut sheet and the key handler all read this list. */
import type { App } from "../app/app.svelte";
import { changesCommands } from "../changes/commands";
import { chatCommands } from "../chat/commands";
import { contextCommands } from "../contexts/commands";
import { documentCommands } from "../document-agent/commands";
import { editorCommands } from "../documents/commands";
import { fileCommands } from "../files/commands";
import { reviewCommands } from "../review/commands";
import { THEMES, type ThemeChoice } from "../app/theme.svelte";
import { threadCommands } from "../threads/commands";
import type { Command, PageActions } from "../core/commands";

const THEME_WORDS: Record<ThemeChoice, string> = { system: "as the system says", light: "light", dark: "dark" };

export function commandsOf(app: App, actions: PageActions): Command[] {
  return [...goTo(app, actions), ...chatCommands(app, actions), ...contextCommands(app), ...editorCommands(app), ...documentCommands(app), ...reviewCommands(app), ...threadCommands(app), ...panels(app, actions), ...tabs(app), ...fileCommands(app), ...changesCommands(app), ...files(app), ...project(app), ...look(app)];
}

const always = () => true;

function goTo(app: App, actions: PageActions): Command[] {
  const group = "Go to";
  return [
    { id: "palette", title: "Open the palette", group, keys: ["Mod+K", "Mod+Shift+P"], enabled: always, run: () => { app.palette.show(); } },
    { id: "go-to-file", title: "Go to file", group, keys: ["Mod+P"], enabled: always, run: () => { app.palette.show("files"); } },
    { id: "show-commands", title: "Show commands", group, keys: [], enabled: always, run: () => { app.palette.show("all", ">"); } },
    { id: "search", title: "Search in files", group, keys: ["Mod+Shift+F"], enabled: () => app.workspace !== null, run: () => { app.showLeft("search"); } },
    { id: "replace-in-files", title: "Replace in files", group, keys: [], enabled: () => app.workspace !== null, run: () => { replaceInFiles(app); } },
    { id: "next-region", title: "Next region", group, keys: ["F6"], enabled: always, run: () => { actions.focusRegion(1); } },
    { id: "previous-region", title: "Previous region", group, keys: ["Shift+F6"], enabled: always, run: () => { actions.focusRegion(-1); } },
    { id: "settings", title: "Open settings", group, keys: ["Mod+,"], enabled: always, run: () => { app.route.openSettings(); } },
    { id: "models", title: "Choose a model", group, keys: [], enabled: always, run: () => { app.route.openSettings("models"); } },
    { id: "own-server", title: "Add your own server: Ollama, LM Studio, vLLM or another", group, keys: [], enabled: always, run: () => { app.route.openSettings("models"); } },
    { id: "keys", title: "Add or remove a key", group, keys: [], enabled: always, run: () => { app.route.openSettings("keys"); } },
    { id: "budget", title: "Set the monthly limit", group, keys: [], enabled: always, run: () => { app.route.openSettings("budget"); } },
    { id: "tools", title: "Allow or deny tools", group, keys: [], enabled: always, run: () => { app.route.openSettings("tools"); } },
    { id: "skills", title: "Skills and what new chats begin with", group, keys: [], enabled: always, run: () => { app.route.openSettings("skills"); } },
    { id: "usage", title: "Usage", group, keys: [], enabled: always, run: () => { app.route.openSettings("usage"); } },
    { id: "shortcuts", title: "Show all shortcuts", group, keys: ["?"], enabled: always, run: () => { app.showDialog("shortcuts"); } },
  ];
}

function panels(app: App, actions: PageActions): Command[] {
  const group = "Panels";
  const inWorkspace = () => app.route.section === null;
  const ready = () => app.workspace !== null;
  const enter = (view: "files" | "contexts" | "chats" | "references") => () => {
    app.showLeft(view);
    actions.enterLeftPanel();
  };
  return [
    { id: "files-tab", title: "Show files", group, keys: ["Mod+Shift+E"], enabled: ready, run: enter("files") },
    { id: "contexts-tab", title: "Show contexts and skills", group, keys: ["Mod+Shift+X"], enabled: ready, run: enter("contexts") },
    { id: "chats-tab", title: "Show chats", group, keys: ["Mod+Shift+H"], enabled: ready, run: enter("chats") },
    { id: "references-tab", title: "Show references", group, keys: [], enabled: ready, run: enter("references") },
    { id: "left-panel", title: "Show or hide the left panel", group, keys: ["Mod+B"], enabled: inWorkspace, run: () => { app.layout.toggleLeft(); } },
    { id: "right-panel", title: "Show or hide the right page", group, keys: ["Mod+\\"], enabled: inWorkspace, run: () => { app.layout.toggleRight(); } },
  ];
}

function tabs(app: App): Command[] {
  const group = "Tabs";
  const some = () => (app.workspace?.tabs.items.length ?? 0) > 0;
  const many = () => (app.workspace?.tabs.items.length ?? 0) > 1;
  const act = (run: (active: string) => void) => () => {
    const active = app.workspace?.tabs.active ?? null;
    if (active === null) return;
    run(active);
    app.workspace?.settle();
  };
  return [
    { id: "next-tab", title: "Next tab", group, keys: ["Mod+Alt+ArrowRight", "Ctrl+PageDown"], enabled: many, run: act(() => app.workspace?.tabs.step(1)) },
    { id: "previous-tab", title: "Previous tab", group, keys: ["Mod+Alt+ArrowLeft", "Ctrl+PageUp"], enabled: many, run: act(() => app.workspace?.tabs.step(-1)) },
    { id: "close-tab", title: "Close tab", group, keys: [], enabled: some, run: act((path) => app.workspace?.tabs.close(path)) },
    { id: "reopen-tab", title: "Reopen closed tab", group, keys: ["Mod+Alt+Z"], enabled: () => (app.workspace?.tabs.closed.length ?? 0) > 0, run: () => { app.workspace?.tabs.reopen(); app.workspace?.settle(); } },
    { id: "close-other-tabs", title: "Close other tabs", group, keys: [], enabled: many, run: act((path) => app.workspace?.tabs.closeOthers(path)) },
    { id: "close-all-tabs", title: "Close all tabs", group, keys: [], enabled: some, run: act(() => app.workspace?.tabs.closeAll()) },
    { id: "pin-tab", title: "Keep tab open", group, keys: [], enabled: some, run: act((path) => app.workspace?.tabs.pin(path)) },
    { id: "move-tab-right", title: "Move tab right", group, keys: [], enabled: many, run: act((path) => app.workspace?.tabs.moveBy(path, 1)) },
    { id: "move-tab-left", title: "Move tab left", group, keys: [], enabled: many, run: act((path) => app.workspace?.tabs.moveBy(path, -1)) },
  ];
}

function files(app: App): Command[] {
  const group = "Files";
  const ready = () => app.workspace !== null && app.route.section === null;
  return [
    { id: "filter-files", title: "Filter files by name", group, keys: ["/"], enabled: ready, run: () => { showFilter(app); } },
    { id: "collapse-folders", title: "Collapse all folders", group, keys: [], enabled: ready, run: () => { app.workspace?.tree.collapseAll(); } },
    { id: "refresh-files", title: "Read the folder again", group, keys: [], enabled: ready, run: () => { app.workspace?.reload(); } },
  ];
}

function project(app: App): Command[] {
  const group = "Project";
  const open = () => app.project !== null;
  return [
    { id: "switch-project", title: "Switch project", group, keys: [], enabled: open, run: () => { showSwitcher(app); } },
    { id: "open-folder", title: "Open folder…", group, keys: [], enabled: always, run: () => { app.showDialog("open-folder"); } },
    { id: "rename-project", title: "Rename project…", group, keys: [], enabled: open, run: () => { app.showDialog("rename"); } },
    { id: "remove-project", title: "Remove project from the list…", group, keys: [], enabled: open, run: () => { app.showDialog("remove"); } },
  ];
}

function look(app: App): Command[] {
  return THEMES.map((theme) => ({
    id: `theme-${theme}`,
    title: `Theme: ${THEME_WORDS[theme]}`,
    group: "Look",
    keys: [],
    enabled: always,
    run: () => {
      app.theme.choice = theme;
    },
  }));
}

function replaceInFiles(app: App): void {
  if (!app.workspace) return;
  app.workspace.replacing.isOpen = true;
  app.showLeft("search");
}

function showFilter(app: App): void {
  if (!app.workspace) return;
  app.showLeft("files");
  app.workspace.filter.open = true;
}

function showSwitcher(app: App): void {
  if (app.route.section) app.route.closeSettings();
  app.layout.showLeft();
  app.switcherOpen = true;
}
