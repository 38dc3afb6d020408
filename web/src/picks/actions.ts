/** What a person picked, pinned to a chat: whoever opens it again finds the same picked. */
import type { App } from "../app/app.svelte";
import type { Pins } from "./state/pick-values";
import type { Workspace } from "../app/workspace.svelte";

const UNPINNED: Pins = { contextIds: [], skillIds: [], additionalFiles: [], additionalPrompt: "" };

/** Whether the open chat brings back just what is picked now, and that is something. */
export function isPinned({ chats, picked }: Workspace): boolean {
  const chat = chats.current?.seen;
  return chat ? !picked.isEmpty && textOf(chat) === textOf(picked.pinned()) : false;
}

/** Whether anything is pinned to the open chat. */
export function hasPins({ chats }: Workspace): boolean {
  const chat = chats.current?.seen;
  return chat ? textOf(chat) !== textOf(UNPINNED) : false;
}

export async function pinToChat(app: App): Promise<void> {
  const { workspace } = app;
  const session = workspace?.chats.current;
  if (!workspace || !session) return;
  await session.change(workspace.picked.pinned());
  workspace.picked.belongToChat();
  app.toasts.show("Pinned: opening this chat brings it back.");
}

export async function unpinFromChat(app: App): Promise<void> {
  const session = app.workspace?.chats.current;
  if (!session) return;
  await session.change(UNPINNED);
  app.toasts.show("Nothing is pinned to this chat now.");
}

function textOf({ contextIds, skillIds, additionalFiles, additionalPrompt }: Pins): string {
  return JSON.stringify([[...contextIds].sort(), [...skillIds].sort(), [...additionalFiles].sort(), additionalPrompt]);
}
