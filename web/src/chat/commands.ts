/** What can be done with the open chat, for the palette, the keys, the chat's menu and the / menu. */
import { type ExportFormat, exportAddress } from "../api";
import type { App } from "../app/app.svelte";
import type { Chats } from "../chat-library/state/chats.svelte";
import type { Command, PageActions } from "../core/commands";
import type { SlashCommand } from "./state/composer.svelte";
import type { ChatSession } from "./state/chat-session.svelte";
import { slashSkills } from "../skills/actions";
import { openInstructions } from "../files/actions";
import { ask as askWhere, newFolder } from "../chat-library/actions";
import { hasPins, isPinned, pinToChat, unpinFromChat } from "../picks/actions";

const SLASH = ["summarise-chat", "preview", "plan-mode", "new-chat", "chat-history", "rename-chat", "export-markdown", "export-json", "export-html", "undo-run", "instructions"];
/** What the menu at the head of a chat holds. */
export const CHAT_MENU = ["find-in-chat", "summarise-chat", "preview", "rename-chat", "move-chat", "pin-picks", "unpin-picks", "export-markdown", "export-json", "export-html", "undo-run", "delete-chat"];
const FORMATS: Record<ExportFormat, string> = { markdown: "Markdown", json: "JSON", html: "a web page" };

/** What / offers in the message field: skills to switch, then commands. */
export function slashMenu(app: App): SlashCommand[] {
  return [...slashSkills(app), ...slashCommands(app.commands)];
}

function slashCommands(commands: readonly Command[]): SlashCommand[] {
  return SLASH.flatMap((id) => commands.filter((command) => command.id === id && command.enabled()))
    .map((command) => ({ id: command.id, title: command.title, hint: "", kind: "command", run: () => { command.run(); } }));
}

export function chatCommands(app: App, actions: PageActions): Command[] {
  return [...moves(app), ...deeds(app), ...exports(app, actions)];
}

function moves(app: App): Command[] {
  const group = "Chat";
  const ready = () => app.workspace !== null;
  return [
    { id: "new-chat", title: "New chat", group, keys: ["Mod+Shift+O"], enabled: ready, run: () => { app.openChat(null); } },
    { id: "ask", title: "Ask about the selection", group, keys: ["Mod+Shift+L"], enabled: ready, run: () => { ask(app); } },
    { id: "chat-history", title: "Show earlier chats", group, keys: [], enabled: ready, run: withChats(app, (chats) => { app.showChat(); chats.toggleHistory(true); }) },
    { id: "new-chat-folder", title: "New folder for chats", group, keys: [], enabled: ready, run: () => { newFolder(app, null); } },
    { id: "instructions", title: "Open the instructions", group, keys: [], enabled: ready, run: () => { app.background(openInstructions(app)); } },
    { id: "preview", title: "What will be sent", group, keys: ["Mod+Alt+P"], enabled: ready, run: withChats(app, ({ composer }) => { app.showPreview(composer); }) },
    { id: "plan-mode", title: "Switch plan mode", group, keys: [], enabled: ready, run: withChats(app, ({ composer }) => { composer.plan = !composer.plan; composer.changed(); }) },
  ];
}

function deeds(app: App): Command[] {
  const group = "Chat";
  const open = () => session(app)?.state?.entries.length !== undefined;
  return [
    { id: "stop", title: "Stop the answer", group, keys: ["Mod+."], enabled: () => session(app)?.running !== null && open(), run: withSession(app, (chat) => { app.background(chat.stop()); }) },
    { id: "summarise-chat", title: "Summarise this chat", group, keys: [], enabled: () => open() && session(app)?.running === null, run: withSession(app, (chat) => { app.background(chat.summarise()); }) },
    { id: "find-in-chat", title: "Find in this chat", group, keys: [], enabled: open, run: withSession(app, (chat) => { app.showChat(); chat.isFinding = true; }) },
    { id: "rename-chat", title: "Rename this chat…", group, keys: [], enabled: open, run: () => { app.showDialog("rename-chat"); } },
    { id: "move-chat", title: "Move this chat…", group, keys: [], enabled: () => isOwn(app), run: () => { moveOpen(app); } },
    { id: "pin-picks", title: "Pin what is picked to this chat", group, keys: [], enabled: () => open() && app.workspace !== null && !app.workspace.picked.isEmpty && !isPinned(app.workspace), run: () => { app.background(pinToChat(app)); } },
    { id: "unpin-picks", title: "Unpin everything from this chat", group, keys: [], enabled: () => open() && app.workspace !== null && hasPins(app.workspace), run: () => { app.background(unpinFromChat(app)); } },
    { id: "undo-run", title: "Undo the last run…", group, keys: [], enabled: () => lastTurn(app) !== null, run: () => { undoRun(app); } },
    { id: "delete-chat", title: "Delete this chat…", group, keys: [], enabled: open, run: () => { app.showDialog("remove-chat"); } },
  ];
}

function exports(app: App, actions: PageActions): Command[] {
  return (["markdown", "json", "html"] as const).map((format) => ({
    id: `export-${format}`,
    title: `Export as ${FORMATS[format]}`,
    group: "Chat",
    keys: [],
    enabled: () => session(app) !== null,
    run: withSession(app, (chat) => { actions.download(exportAddress(chat.id, format)); }),
  }));
}

/** Brings the field to the front, with the selected passage if there is one. */
function ask(app: App): void {
  const passage = app.viewer?.passage() ?? null;
  app.showChat();
  const composer = app.workspace?.chats.composer;
  if (!composer) return;
  if (passage) {
    composer.attachments.selection = passage;
    composer.changed();
  }
  composer.focus();
}

/** Whether the open chat is this project's own: a global one of another project is moved there. */
function isOwn(app: App): boolean {
  return app.workspace !== null && session(app)?.seen?.projectId === app.workspace.projectId;
}

function moveOpen(app: App): void {
  const { workspace } = app;
  const chat = workspace?.chats.all.find(session(app)?.id ?? "");
  if (chat) askWhere(app, "move-chat", { kind: "chat", chat });
}

function undoRun(app: App): void {
  const turnId = lastTurn(app);
  if (turnId !== null) app.showUndo({ turnId, callId: null });
}

/** The newest turn in which tools ran. */
function lastTurn(app: App): string | null {
  const entries = session(app)?.state?.entries ?? [];
  const results = entries.findLast((entry) => entry.kind === "tool_results");
  return results?.turnId ?? null;
}

function session(app: App): ChatSession | null {
  return app.workspace?.chats.current ?? null;
}

function withChats(app: App, act: (chats: Chats) => void): () => void {
  return () => {
    if (app.workspace) act(app.workspace.chats);
  };
}

function withSession(app: App, act: (chat: ChatSession) => void): () => void {
  return () => {
    const chat = session(app);
    if (chat) act(chat);
  };
}
