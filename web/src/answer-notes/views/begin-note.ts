/** Begins a thread or a comment on a passage of an answer: the panel asks for its first words. */
import type { App } from "../../app/app.svelte";
import type { ThreadDraft } from "../../threads/state/threads.svelte";
import type { AnswerPassage } from "./answer-passage";

export function beginOnAnswer(app: App, chatId: string, { entryId, text, occurrence }: AnswerPassage, kind: ThreadDraft["kind"]): void {
  const where = { kind: "answer", chatId, entryId, text, occurrence } as const;
  app.showThreads();
  app.workspace?.threads.begin({ kind, text, path: null, line: null, place: null, where: () => where });
}
