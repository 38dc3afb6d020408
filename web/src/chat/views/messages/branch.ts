/** A chat that goes another way from an entry on, shown at once. */
import type { App } from "../../../app/app.svelte";
import type { ChatSession } from "../../state/chat-session.svelte";

export async function branchFrom(app: App, session: ChatSession, entryId: string): Promise<void> {
  await app.workspace?.chats.branch(session, entryId);
  app.showChat();
}
