/** A conversation as its field and its cards need it: the chat of the right page, or a thread's. */
import type { Model } from "../../api";
import type { ChatSession } from "./chat-session.svelte";
import type { Composer } from "./composer.svelte";
import type { Models } from "../../models/state/models.svelte";

export interface Conversation {
  readonly composer: Composer;
  /** Null before it has begun. */
  readonly current: ChatSession | null;
  /** Sends the draft. */
  send(): Promise<void>;
}

/** The model that was chosen for a conversation, also for one that has not begun; null is the default. */
export function chosenModel({ current, composer }: Pick<Conversation, "composer" | "current">): string | null {
  return current ? (current.state?.model ?? null) : composer.model;
}

/** The model that answers in a conversation. */
export function modelOf(models: Models, talk: Pick<Conversation, "composer" | "current">): Model | null {
  return models.find(chosenModel(talk)) ?? models.current;
}

/** Takes a model for a conversation, also for one that has not begun; null leaves the choice to the settings. */
export async function chooseModel({ current, composer }: Conversation, id: string | null): Promise<void> {
  if (current) await current.chooseModel(id);
  composer.modelChosen(id);
}
