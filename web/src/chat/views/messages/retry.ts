/** The ways to ask again for an answer: the same model, or one of the others whose key is set. */
import type { App } from "../../../app/app.svelte";
import type { ChatSession } from "../../state/chat-session.svelte";
import type { MenuItem } from "../../../core/widgets/MenuList.svelte";

const OTHERS_MAX = 8;

export function retryItems(app: App, session: ChatSession, entryId: string, model: string | null): MenuItem[] {
  const retry = (id: string | null) => () => { app.background(session.retry(entryId, id)); };
  const others = (app.assistance.models.list?.items ?? []).filter((one) => one.id !== model && one.missingKey === null && one.successor === null);
  return [
    { label: "Retry with the same model", run: retry(model) },
    ...others.slice(0, OTHERS_MAX).map((one) => ({ label: `Retry with ${one.name}`, run: retry(one.id) })),
  ];
}
