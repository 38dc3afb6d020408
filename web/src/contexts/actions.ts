/** What a person does with contexts: switch, make match, make, edit, delete, have new chats begin with them. */
import { type Context, problemOf } from "../api";
import type { App } from "../app/app.svelte";
import { countOf, tokens } from "../core/amounts";
import type { Workspace } from "../app/workspace.svelte";

export function isContextOn({ picked }: Workspace, { id }: Context): boolean {
  return picked.contextIds.includes(id);
}

/** Its size: as the last count of what is picked has it, else as it was read. */
export function contextHint({ tokenCount }: Context): string {
  return tokenCount === null ? "unknown" : tokens(tokenCount);
}

/** What a person hears of it besides its name. */
export function contextFacts({ files, tokenCount, missingFiles }: Context): string {
  const words = [countOf(files.length, "file")];
  if (tokenCount !== null) words.push(`${tokens(tokenCount)} tokens`);
  if (missingFiles.length > 0) words.push(`${String(missingFiles.length)} missing`);
  return words.join(", ");
}

/** Switches a context on or off. On ticks its files once; off leaves the ticks alone. */
export function switchContext({ workspace }: App, context: Context): void {
  if (!workspace) return;
  if (isContextOn(workspace, context)) workspace.picked.deactivate(context.id);
  else workspace.picked.activate(context);
}

/** Gives a context the files that are ticked. */
export async function updateToMatch(app: App, context: Context): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const before = context.files;
  await attempt(app, context, async () => {
    const saved = await workspace.contexts.save(context, { files: workspace.picked.matching(context) });
    app.toasts.show(`“${saved.name}” has ${countOf(saved.files.length, "file")} now.`, {
      label: "Undo",
      run: () => { app.background(attempt(app, saved, () => workspace.contexts.save(workspace.contexts.find(saved.id) ?? saved, { files: before }))); },
    });
  });
}

/** Opens the form for a new context of the ticked files. */
export function newContext(app: App): void {
  editContext(app, null);
}

/** Opens the form for a context; null is a new one. */
export function editContext(app: App, context: Context | null): void {
  if (!app.workspace) return;
  app.workspace.contexts.edited = context;
  app.showDialog("context");
}

/** Deletes a context, and offers to bring it back. */
export async function removeContext(app: App, context: Context): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const wasOn = isContextOn(workspace, context);
  const wasDefault = isDefaultContext(app, context);
  await workspace.contexts.remove(context);
  app.toasts.show(`“${context.name}” was deleted. Its files stay.`, {
    label: "Undo",
    run: () => { app.background(bringBack(app, context, wasOn, wasDefault)); },
  });
}

async function bringBack(app: App, { name, files, color }: Context, wasOn: boolean, wasDefault: boolean): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const made = await workspace.contexts.create({ name, files, color });
  if (wasOn) workspace.picked.activate({ ...made, files: [] });
  if (wasDefault) await setDefaultContext(app, made, true);
}

export function isDefaultContext({ project }: App, { id }: Pick<Context, "id">): boolean {
  return project?.settings.defaultContextIds?.includes(id) ?? false;
}

/** Has new chats begin with a context, or no longer. */
export async function setDefaultContext(app: App, { id }: Pick<Context, "id">, on: boolean): Promise<void> {
  if (app.project) await app.projects.setDefault(app.project.id, "defaultContextIds", id, on);
}

/** Tells of a change that came first, in words that name the context; other failures are told as they are. */
async function attempt(app: App, { name }: Context, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status !== 412) throw error;
    app.toasts.show(`Somebody else changed “${name}” meanwhile. It shows as it is now; try again.`);
  }
}
