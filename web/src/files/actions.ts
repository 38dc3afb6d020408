/** What a person does with files and folders: each told, and taken back where it can be. */
import { type DeletedFile, type LinkChanges, type NewFileKind, RequestFailed, type Spellings } from "../api";
import type { App } from "../app/app.svelte";
import { headingLine } from "../core/headings";
import { asNote, folderOf, isAtOrBelow, nameOf, nameProblem, pathIn } from "../core/paths";
import type { Workspace } from "../app/workspace.svelte";
import { type FileAsked, linkCount } from "./state/file-dialog";
import { dayOf, filled } from "./state/templates";

const INSTRUCTIONS = "_instructions.md";

/** Asks for a name or a place. */
export function askFile(app: App, asked: FileAsked): void {
  if (!app.workspace) return;
  app.workspace.fileAsked = asked;
  app.showDialog(asked.kind === "move" ? "move-file" : asked.kind === "new" ? "new-file" : "rename-file");
}

/** Makes a file or a folder, and the folders that its name leads into. Rejects when the name is taken. */
export async function create(app: App, folder: string, name: string, what: NewFileKind): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const path = pathIn(folder, name);
  await app.client.files.create(workspace.projectId, path, what, "", name.includes("/"));
  // What lies deeper shows in each folder on the way to it.
  await workspace.tree.refresh(name.split("/").map((_, depth, parts) => folderOf(pathIn(folder, parts.slice(0, depth + 1).join("/")))));
  if (name.includes("/")) await workspace.tree.bringTo(path);
}

/** Goes to what was just made: into the text of a file, to the row of a folder. */
export function goToNew(app: App, path: string, what: NewFileKind): void {
  const { workspace } = app;
  if (!workspace) return;
  if (what === "folder") app.background(workspace.tree.bringTo(path));
  else app.openToWrite(path);
}

/** Moves or renames; where links would follow, they are shown first. Rejects when the name is taken. True once it is done. */
export async function move(app: App, path: string, newPath: string): Promise<boolean> {
  const { workspace } = app;
  if (!workspace || path === newPath) return true;
  const links = await app.client.files.previewMove(workspace.projectId, path, newPath);
  if (links.texts.length > 0) {
    workspace.linksAsked = { path, newPath, links };
    app.showDialog("move-links");
    return false;
  }
  await moveNow(app, path, newPath, false);
  return true;
}

/** Moves or renames, with the links to it and its own if these are to follow. */
export async function moveNow(app: App, path: string, newPath: string, withLinks: boolean): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const followed = await relocate(app, workspace, path, newPath, withLinks);
  const words = folderOf(path) === folderOf(newPath)
    ? `“${nameOf(path)}” is called “${nameOf(newPath)}” now.`
    : `“${nameOf(newPath)}” is in ${folderOf(newPath) === "" ? "the project's folder" : `“${folderOf(newPath)}”`} now.`;
  const back = Object.fromEntries(followed.texts.map((text) => [text.path, Object.fromEntries(text.links.map(({ before, after }) => [after, before]))]));
  app.toasts.show([words, ...followWords(followed)].join(" "), { label: "Undo", run: () => { app.background(relocate(app, workspace, newPath, path, withLinks, back)); } });
}

/** What became of the links, as people read it. */
function followWords({ texts, leftAlone }: LinkChanges): string[] {
  const count = linkCount(texts);
  return [
    ...(count > 0 ? [`${count === 1 ? "One link follows" : `${String(count)} links follow`}.`] : []),
    ...(leftAlone.length > 0 ? [`Links in ${leftAlone.length === 1 ? `“${leftAlone[0]?.path ?? ""}”` : `${String(leftAlone.length)} files`} were left as they are.`] : []),
  ];
}

async function relocate(app: App, workspace: Workspace, path: string, newPath: string, withLinks: boolean, spellings: Spellings = {}): Promise<LinkChanges> {
  const followed = await app.client.files.move(workspace.projectId, path, newPath, withLinks, spellings);
  workspace.followMove(path, newPath);
  await workspace.tree.refresh([folderOf(path), folderOf(newPath)]);
  await workspace.tree.bringTo(newPath);
  return followed;
}

/** Copies something beside itself. */
export async function duplicate(app: App, path: string): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  await workspace.documents.stored(path);
  const copy = await app.client.files.duplicate(workspace.projectId, path);
  await workspace.tree.refresh([folderOf(copy)]);
  app.toasts.show(`“${nameOf(copy)}” is the copy.`, { label: "Undo", run: () => { app.background(remove(app, copy)); } });
}

/** Puts something into the trash, and offers to bring it back. */
export async function remove(app: App, path: string): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const open = workspace.panes.paths.filter((one) => isAtOrBelow(one, path));
  await Promise.all(open.map((one) => workspace.documents.stored(one)));
  const deleted = await app.client.files.remove(workspace.projectId, path);
  workspace.followRemoval(path);
  await workspace.tree.refresh([folderOf(path)]);
  app.toasts.show(`“${nameOf(path)}” was deleted. It is in the trash.`, {
    label: "Undo",
    run: () => { app.background(restore(app, deleted, open)); },
  });
}

/** Brings something back from the trash, and opens again what was open of it. */
export async function restore(app: App, deleted: DeletedFile, open: readonly string[] = []): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  await app.client.files.restore(workspace.projectId, deleted.id);
  await workspace.tree.refresh([], true);
  for (const path of open) workspace.open(path, true);
  if (open.length === 0) await workspace.tree.bringTo(deleted.path);
  app.toasts.show(`“${nameOf(deleted.path)}” is back.`);
}

/** Whether something may be put into a folder: not where it lies, nor into itself. */
export function canLieIn(path: string, folder: string): boolean {
  return folderOf(path) !== folder && !isAtOrBelow(folder, path);
}

/** Puts something into another folder. True once it is done. */
export async function moveInto(app: App, path: string, folder: string): Promise<boolean> {
  return canLieIn(path, folder) ? move(app, path, pathIn(folder, nameOf(path))) : true;
}

/** Opens the file whose text goes along with every request; makes it when there is none. */
export async function openInstructions(app: App): Promise<void> {
  try {
    await app.client.files.create(app.workspace?.projectId ?? "", INSTRUCTIONS, "file");
    app.toasts.show(`${INSTRUCTIONS} is new. What you write in it goes along with every request.`);
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.status !== 409) throw error;
  }
  app.openToWrite(INSTRUCTIONS);
}

/** The file that a wiki link means in a text; null when there is none. */
export async function noteNamed(app: App, name: string, from: string): Promise<string | null> {
  return app.client.files.note(app.workspace?.projectId ?? "", name, from);
}

/** Opens a note, at a heading if it has one of that name. */
async function openAt(app: App, path: string, heading: string): Promise<void> {
  if (heading === "") {
    app.openFile(path, true);
    return;
  }
  const { text } = await app.client.file(app.workspace?.projectId ?? "", path);
  const line = headingLine(text, heading);
  if (line === null) app.toasts.show(`“${nameOf(path)}” has no heading “${heading}”.`);
  app.openFile(path, true, line === null ? null : { line, column: 1 });
}

/** Opens the note of a wiki link, which may lead to a heading of it. A note that is not there yet is made, beside the one that names it. */
export async function openNote(app: App, name: string, from: string): Promise<void> {
  const [, file = "", heading = ""] = /^([^#]*)#?(.*)$/s.exec(name.trim()) ?? [];
  const known = file.trim() === "" ? from : await noteNamed(app, file.trim(), from);
  if (known !== null) {
    await openAt(app, known, heading.trim());
    return;
  }
  const named = file.trim();
  const written = asNote(named);
  const path = written.includes("/") ? written : pathIn(folderOf(from), written);
  const problem = nameProblem(nameOf(path), new Set());
  if (problem !== null) {
    app.toasts.show(`No note can be called “${nameOf(named)}”. ${problem}`);
    return;
  }
  await makeNote(app, path, "");
  app.toasts.show(`“${path}” is new.`, { label: "Undo", run: () => { app.background(remove(app, path)); } });
  app.openToWrite(path);
}

/** Makes a note, with the folders that it is to lie in. */
async function makeNote(app: App, path: string, text: string): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  await app.client.files.create(workspace.projectId, path, "file", text, true);
  const folders = folderOf(path).split("/").map((_, depth, names) => names.slice(0, depth).join("/"));
  await workspace.tree.refresh([...folders, folderOf(path)]);
}

/** Lists the notes with a tag, or all tags. */
export function showTag(app: App, tag: string | null): void {
  if (!app.workspace) return;
  app.workspace.tagAsked = tag?.replace(/^#/, "") ?? null;
  app.showDialog("tags");
}

/** Opens the note of the day; the first time it is made, by its template if the settings name one. */
export async function openTodaysNote(app: App, now = new Date()): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  await app.preferences.load();
  const { dailyFolder, dailyTemplate, templatesFolder } = app.preferences.editor;
  const path = pathIn(dailyFolder, `${dayOf(now)}.md`);
  const text = dailyTemplate === "" ? `# ${dayOf(now)}\n\n` : await templateText(app, templatePath(templatesFolder, dailyTemplate), dayOf(now), now);
  try {
    await makeNote(app, path, text);
    app.openToWrite(path, endOf(text));
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.status !== 409) throw error;
    app.openToWrite(path);
  }
}

/** Behind the last letter: there goes on who writes in what has begun already. */
function endOf(text: string): { line: number; column: number } {
  const lines = text.split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function templatePath(folder: string, name: string): string {
  const written = asNote(name);
  return written.includes("/") ? written : pathIn(folder, written);
}

/** The text of a template, filled in. */
export async function templateText(app: App, path: string, title: string, now = new Date()): Promise<string> {
  return filled((await app.client.file(app.workspace?.projectId ?? "", path)).text, title, now);
}

/** The templates of the folder, by their paths. */
export async function templates(app: App): Promise<string[]> {
  const folder = app.preferences.editor.templatesFolder;
  const names = await app.client.filesUnder(app.workspace?.projectId ?? "", folder, 1000);
  return names.items.map(({ path }) => path).filter((path) => /\.(?:md|markdown|txt|qmd|rmd)$/i.test(path)).sort((one, other) => one.localeCompare(other));
}

/** Makes a note from a template, called as the person says. Rejects when the name is taken. */
export async function makeFromTemplate(app: App, template: string, folder: string, name: string): Promise<void> {
  const path = pathIn(folder, asNote(name));
  const text = await templateText(app, template, nameOf(path).replace(/\.[^.]+$/, ""));
  await makeNote(app, path, text);
  app.openToWrite(path, endOf(text));
}
