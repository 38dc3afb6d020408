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
