/** A chat that goes another way from an entry on, shown at once. */
import type { App } from "../../state/app.svelte";
import type { ChatSession } from "../../state/chat.svelte";

export async function branchFrom(app: App, session: ChatSession, entryId: string): Promise<void> {
  await app.workspace?.chats.branch(session, entryId);
  app.showChat();
}
