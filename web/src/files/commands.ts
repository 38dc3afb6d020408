/** What can be done with files and folders, for the palette and the menus. */
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import { folderOf } from "../core/paths";
import { askFile, duplicate, openTodaysNote, remove, showTag } from "./actions";
import { TreeNode } from "./state/tree-rows";

export function fileCommands(app: App): Command[] {
  const group = "Files";
  const ready = () => app.workspace !== null && app.route.section === null;
  const some = () => ready() && target(app) !== null;
  const act = (run: (path: string) => void) => () => {
    const path = target(app);
    if (path !== null) run(path);
  };
  return [
    { id: "new-file", title: "New file…", group, keys: [], enabled: ready, run: () => { askFile(app, { kind: "new", what: "file", folder: folderHere(app) }); } },
    { id: "new-notebook", title: "New notebook…", group, keys: [], enabled: ready, run: () => { askFile(app, { kind: "new", what: "file", folder: folderHere(app), name: "notebook.ipynb" }); } },
    { id: "new-folder", title: "New folder…", group, keys: [], enabled: ready, run: () => { askFile(app, { kind: "new", what: "folder", folder: folderHere(app) }); } },
    { id: "rename-file", title: "Rename file or folder…", group, keys: [], enabled: some, run: act((path) => { askFile(app, { kind: "rename", path }); }) },
    { id: "move-file", title: "Move file or folder…", group, keys: [], enabled: some, run: act((path) => { askFile(app, { kind: "move", path }); }) },
    { id: "duplicate-file", title: "Duplicate file or folder", group, keys: [], enabled: some, run: act((path) => { app.background(duplicate(app, path)); }) },
    { id: "delete-file", title: "Delete file or folder", group, keys: [], enabled: some, run: act((path) => { app.background(remove(app, path)); }) },
    { id: "todays-note", title: "Today’s note", group, keys: [], enabled: ready, run: () => { app.background(openTodaysNote(app)); } },
    { id: "new-from-template", title: "New note from a template…", group, keys: [], enabled: ready, run: () => { app.showDialog("new-from-template"); } },
    { id: "insert-template", title: "Put a template in at the cursor…", group, keys: [], enabled: () => ready() && app.viewer !== null, run: () => { app.showDialog("insert-template"); } },
    { id: "tags", title: "Show all tags…", group, keys: [], enabled: ready, run: () => { showTag(app, null); } },
    { id: "trash", title: "Show deleted files…", group, keys: [], enabled: ready, run: () => { app.showDialog("trash"); } },
  ];
}

/** What a command is about: the row that the keyboard is at in the files, else the open file. */
function target(app: App): string | null {
  const { workspace } = app;
  if (!workspace) return null;
  const { focused } = workspace.tree;
  const inTree = workspace.leftView === "files" && focused instanceof TreeNode && document.activeElement?.closest("[role=tree]") !== null;
  return (inTree ? focused.path : null) ?? workspace.tabs.active ?? (focused instanceof TreeNode ? focused.path : null);
}

/** The folder in which something new is made: that of the row the keyboard is at. */
export function folderHere({ workspace }: App): string {
  const focused = workspace?.tree.focused ?? null;
  if (!(focused instanceof TreeNode) || focused.path === null) return "";
  return focused.isFolder ? focused.path : folderOf(focused.path);
}
