/** What can be done with a row of the Chats tab. */
import type { Chat } from "../../api";
import type { App } from "../../app/app.svelte";
import type { ChatRow, GroupRow, Row } from "../state/chat-rows";
import { ask, newFolder, setGlobal, stepRow } from "../actions";
import { DEPTH_MAX } from "../state/groups.svelte";
import type { MenuItem } from "../../core/widgets/MenuList.svelte";

export function menuOf(app: App, row: Row, onremove: (row: Row) => void): MenuItem[] {
  if (row.kind === "chat") return chatMenu(app, row, onremove);
  return row.kind === "group" ? folderMenu(app, row, onremove) : [];
}

function chatMenu(app: App, row: ChatRow, onremove: (row: Row) => void): MenuItem[] {
  const { chat } = row;
  const isOwn = chat.projectId === app.workspace?.projectId;
  return [
    { label: "Open", hint: "Enter", run: () => { app.openChat(chat.id); } },
    { label: "Rename", hint: "F2", run: () => { app.workspace?.chatTree.rename(row); } },
    { label: "Move to…", disabled: !isOwn, hint: isOwn ? "" : homeOf(app, chat), run: () => { ask(app, "move-chat", { kind: "chat", chat }); } },
    { label: chat.isGlobal ? "Show in its project only" : "Show in every project", run: () => { app.background(setGlobal(app, chat, !chat.isGlobal)); } },
    { label: "Delete", hint: "Del", run: () => { onremove(row); } },
  ];
}

function folderMenu(app: App, row: GroupRow, onremove: (row: Row) => void): MenuItem[] {
  const { group } = row;
  const step = (by: 1 | -1) => () => { app.background(stepRow(app, row, by)); };
  const isFirst = app.workspace?.groups.inside(group.parentId)[0]?.id === group.id;
  const isLast = app.workspace?.groups.inside(group.parentId).at(-1)?.id === group.id;
  return [
    { label: "New chat in here", run: () => { app.beginChat(group.id); } },
    { label: "New folder in here", disabled: row.depth + 1 >= DEPTH_MAX, run: () => { newFolder(app, group.id); } },
    { label: "Rename", hint: "F2", run: () => { app.workspace?.chatTree.rename(row); } },
    { label: "Colour and defaults…", run: () => { ask(app, "folder", { kind: "group", group }); } },
    { label: "Move to…", run: () => { ask(app, "move-chat", { kind: "group", group }); } },
    { label: "Move up", hint: "Alt ↑", disabled: isFirst, run: step(-1) },
    { label: "Move down", hint: "Alt ↓", disabled: isLast, run: step(1) },
    { label: "Delete", hint: "Del", run: () => { onremove(row); } },
  ];
}

/** Whose chat it is, where it is not this project's. */
function homeOf({ projects }: App, chat: Chat): string {
  return `in ${projects.find(chat.projectId)?.name ?? "another project"}`;
}
