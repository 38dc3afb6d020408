/** Picks for tests that are about something else. */
import type { Picking } from "./chats.svelte";
import { Picked } from "./picked.svelte";

/** Picks of a tab with no contexts, no skills and nothing to count; new chats begin with nothing. */
export function fakePicking(): Picking {
  const picked = new Picked({
    projectId: "p1",
    contexts: () => [],
    skills: () => [],
    calculate: () => Promise.reject(new DOMException("Nothing is counted here.", "AbortError")),
    changed: () => undefined,
  });
  return { picked, defaults: () => ({ contextIds: [], skillIds: [] }), replaced: () => undefined };
}
