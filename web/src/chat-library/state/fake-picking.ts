/** Picks for tests that are about something else. */
import type { Picking } from "./chats.svelte";
import type { ComposerSource } from "../../chat/state/composer.svelte";
import { Drafts } from "../../chat/state/drafts";
import { Picked } from "../../picks/state/picked.svelte";

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

/** What a composer needs, in a folder without files: the drafts of a tab, and the last model. */
export function fakeComposerSource(tab = "t1"): Omit<ComposerSource, "preview" | "along"> {
  return {
    drafts: new Drafts({ id: tab, open: () => Promise.resolve(new Set([tab])) }),
    model: fakeLastModel(),
    readNames: () => Promise.resolve({ items: [], total: 0, truncated: false }),
    readSize: () => Promise.resolve(0),
    commands: () => [],
    offers: { mentions: () => Promise.resolve([]), prompts: () => Promise.resolve([]), silent: () => Promise.resolve([]), forget: () => undefined },
    tabs: () => ({ open: [], active: null }),
    counted: () => null,
    recount: () => undefined,
  };
}

function fakeLastModel(): ComposerSource["model"] {
  return {
    id: null,
    choose(id) {
      Object.assign(this, { id });
    },
  };
}
