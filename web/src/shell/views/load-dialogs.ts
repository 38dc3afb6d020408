/** Brings the palette and the dialogs, which are a chunk of their own. Called early too, so that the first one opens at once. */
import type * as Dialogs from "./Dialogs.svelte";

let loaded: typeof Dialogs | null = null;

/** The dialogs, if they are here: then one opens without a wait. */
export function loadedDialogs(): typeof Dialogs | null {
  return loaded;
}

export async function loadDialogs(): Promise<typeof Dialogs> {
  loaded ??= await import("./Dialogs.svelte");
  return loaded;
}
