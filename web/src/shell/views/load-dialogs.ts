/** Brings the palette and the dialogs, which are a chunk of their own. Called early too, so that the first one opens at once. */
type Dialogs = typeof import("./Dialogs.svelte");

let loaded: Dialogs | null = null;

/** The dialogs, if they are here: then one opens without a wait. */
export function loadedDialogs(): Dialogs | null {
  return loaded;
}

export async function loadDialogs(): Promise<Dialogs> {
  loaded ??= await import("./Dialogs.svelte");
  return loaded;
}
