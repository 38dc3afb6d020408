/** What can be done with a row of the files. */
import type { NewFileKind } from "../../api";
import type { App } from "../../app/app.svelte";
import { folderOf } from "../../core/paths";
import { askFile, duplicate, remove } from "../actions";
import type { TreeNode } from "../state/tree-rows";
import { copyText } from "../../core/widgets/clipboard";
import type { MenuItem } from "../../core/widgets/MenuList.svelte";

export function fileMenu(app: App, node: TreeNode): MenuItem[] {
  const { path } = node;
  if (path === null) return [{ label: "Its name is not valid text", disabled: true, run: () => undefined }];
  const folder = node.isFolder ? path : folderOf(path);
  const make = (what: NewFileKind) => () => { askFile(app, { kind: "new", what, folder }); };
  if (path === "") return [{ label: "New file…", run: make("file") }, { label: "New folder…", run: make("folder") }];
  return [
    { label: node.isFolder ? "Open or close" : "Open", hint: "Enter", run: () => { open(app, node, path); } },
    { label: "New file…", run: make("file") },
    { label: "New folder…", run: make("folder") },
    { label: "Rename…", hint: "F2", run: () => { askFile(app, { kind: "rename", path }); } },
    { label: "Move to…", run: () => { askFile(app, { kind: "move", path }); } },
    { label: "Duplicate", run: () => { app.background(duplicate(app, path)); } },
    { label: "Copy path", run: () => { app.background(copyPath(app, path)); } },
    { label: "Delete", hint: "Del", run: () => { app.background(remove(app, path)); } },
  ];
}

function open(app: App, node: TreeNode, path: string): void {
  if (!node.isFolder) app.openFile(path, true);
  else if (app.workspace) app.background(app.workspace.tree.toggle(node));
}

async function copyPath(app: App, path: string): Promise<void> {
  app.toasts.show((await copyText(path)) ? "The path was copied." : `This browser does not allow copying here. The path is ${path}`);
}
