/** Brings the palette and the dialogs, which are a chunk of their own. Called early too, so that the first one opens at once. */
export function loadDialogs() {
  return import("./Dialogs.svelte");
}
