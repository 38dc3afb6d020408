/** Marks on many cells at once. */
import type { SvelteSet } from "svelte/reactivity";

/** Takes all of them out if all are in, else puts all in. */
export function toggleAll(set: SvelteSet<string>, ids: readonly string[]): void {
  const isOn = ids.every((id) => set.has(id));
  for (const id of ids) {
    if (isOn) set.delete(id);
    else set.add(id);
  }
}
