/** What a person does in the Chats tab: name, move, share and delete chats and their folders, each told and, where it can be, taken back. */
import type { Chat, ChatGroup, Project } from "../api";
import type { App } from "../app/app.svelte";
import type { Dragged, Row } from "./state/chat-rows";
import type { Asked, Naming } from "./state/chat-tree.svelte";
import { chatTitle } from "../chat/labels";
import { Overtaken } from "../core/concurrent-save";
import type { Workspace } from "../app/workspace.svelte";

/** Gives something the name that was typed. Raises Overtaken, after which the naming goes on from what there is now. */
export async function giveName({ chats, groups, chatTree }: Workspace, naming: Naming, typed: string): Promise<void> {
  const name = typed.trim();
  try {
    if (name === "") return;
    if (naming.kind === "new") chatTree.focused = `group:${(await groups.add(name, naming.parentId)).id}`;
    else if (naming.kind === "group" && name !== naming.seen.name) await groups.change(naming.seen, { name });
    else if (naming.kind === "chat" && name !== naming.seen.title) await chats.all.change(naming.seen, { title: name });
  } catch (error) {
    if (error instanceof Overtaken) chatTree.naming = { ...naming, seen: error.now as unknown } as Naming;
    throw error;
  }
}

/** Puts a chat into a folder, or into none. */
export async function moveChat(app: App, chat: Chat, groupId: string | null): Promise<void> {
  const { workspace } = app;
  if (!workspace || chat.groupId === groupId) return;
  const before = chat.groupId;
  const moved = await workspace.chats.all.change(chat, { groupId });
  const folder = workspace.groups.find(groupId);
  app.toasts.show(folder ? `“${chatTitle(chat)}” is in “${folder.name}” now.` : `“${chatTitle(chat)}” is in no folder now.`, {
    label: "Undo",
    run: () => { app.background(workspace.chats.all.change(moved, { groupId: workspace.groups.find(before)?.id ?? null })); },
  });
}

/** Gives a chat to another project. */
export async function moveToProject(app: App, chat: Chat, project: Project): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const { projectId, groupId } = chat;
  const moved = await workspace.chats.all.change(chat, { projectId: project.id, groupId: null });
  app.toasts.show(`“${chatTitle(chat)}” belongs to ${project.name} now.`, {
    label: "Undo",
    run: () => { app.background(workspace.chats.all.change(moved, { projectId, groupId: workspace.groups.find(groupId)?.id ?? null })); },
  });
}

/** Has every project show a chat, or only its own. */
export async function setGlobal(app: App, chat: Chat, isGlobal: boolean): Promise<void> {
  await app.workspace?.chats.all.change(chat, { isGlobal });
  app.toasts.show(isGlobal ? `Every project shows “${chatTitle(chat)}” now.` : `Only its own project shows “${chatTitle(chat)}” now.`);
}

/** Lets go of what is dragged, where it hangs. */
export async function letGo(app: App, { kind, id }: Dragged): Promise<void> {
  const { workspace } = app;
  const drop = workspace?.chatTree.drop;
  workspace?.chatTree.endDrag();
  if (!workspace || !drop) return;
  if (drop.parentId !== null) workspace.groups.setOpen(drop.parentId, true);
  const chat = workspace.chats.all.find(id);
  if (kind === "group") await workspace.groups.move(id, drop.parentId, drop.beforeId);
  else if (chat) await moveChat(app, chat, drop.parentId);
}

/** Moves a folder by one place. Chats stand in the order in which they were active. */
export async function stepRow(app: App, row: Row | undefined, by: 1 | -1): Promise<void> {
  if (row?.kind === "group") await app.workspace?.groups.step(row.group.id, by);
  else if (row?.kind === "chat") app.toasts.show("Chats stand in the order of their activity. Folders can be put in another order.");
}

/** Deletes a folder, and offers to bring it back with what lay in it. */
export async function removeFolder(app: App, group: ChatGroup): Promise<void> {
  const { workspace } = app;
  if (!workspace) return;
  const { groups, chats } = workspace;
  const inside = { chats: (chats.list ?? []).filter((chat) => chat.groupId === group.id), groups: groups.inside(group.id) };
  const siblings = groups.inside(groups.find(group.parentId)?.id ?? null);
  const next = siblings[siblings.findIndex(({ id }) => id === group.id) + 1] ?? null;
  await groups.remove(group);
  app.toasts.show(`The folder “${group.name}” was deleted. ${inside.chats.length > 0 ? "Its chats are kept." : ""}`.trim(), {
    label: "Undo",
    run: () => { app.background(bringBack(workspace, group, inside, next?.id ?? null)); },
  });
}

/** Makes a deleted folder again. What was moved elsewhere since stays there. */
async function bringBack({ groups, chats }: Workspace, group: ChatGroup, inside: { chats: readonly Chat[]; groups: readonly ChatGroup[] }, nextId: string | null): Promise<void> {
  const parentId = groups.find(group.parentId)?.id ?? null;
  const { color, defaultContextIds, defaultSkillIds } = group;
  const made = await groups.add(group.name, parentId, { color, defaultContextIds, defaultSkillIds });
  await Promise.all([groups.load(), chats.all.refresh(inside.chats.map(({ id }) => id))]);
  for (const { id } of inside.chats) {
    const chat = chats.all.find(id);
    if (chat?.groupId === null) await chats.all.change(chat, { groupId: made.id });
  }
  for (const { id } of inside.groups) {
    const child = groups.find(id);
    if (child?.parentId === group.parentId) await groups.change(child, { parentId: made.id });
  }
  if (groups.find(nextId)) await groups.move(made.id, parentId, nextId);
}

/** Asks where something is to lie, or how a folder is set. */
export function ask(app: App, dialog: "move-chat" | "folder", about: Asked): void {
  if (!app.workspace) return;
  app.workspace.chatTree.asked = about;
  app.showDialog(dialog);
}

/** Begins a folder, in the one that the keyboard is at. */
export function newFolder(app: App, parentId: string | null): void {
  const { workspace } = app;
  if (!workspace) return;
  app.layout.showLeft();
  workspace.leftView = "chats";
  workspace.chatTree.search.type("");
  if (parentId !== null) workspace.groups.setOpen(parentId, true);
  workspace.chatTree.naming = { kind: "new", parentId };
}
