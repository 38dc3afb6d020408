/** A conversation as its field and its cards need it: the chat of the right page, or a thread's. */
import type { ChatSession } from "./chat.svelte";
import type { Composer } from "./composer.svelte";

export interface Talk {
  readonly composer: Composer;
  /** Null before it has begun. */
  readonly current: ChatSession | null;
  /** Sends the draft. */
  send(): Promise<void>;
}

/** Takes a model for a conversation, also for one that has not begun; null leaves the choice to the settings. */
export async function chooseModel({ current, composer }: Talk, id: string | null): Promise<void> {
  if (current) await current.chooseModel(id);
  else composer.model = id;
  composer.changed();
}
