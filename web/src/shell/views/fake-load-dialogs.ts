/** For tests: the dialogs are here from the start, as they are a moment after a page has opened. */
import * as Dialogs from "./Dialogs.svelte";

export function loadedDialogs(): typeof Dialogs {
  return Dialogs;
}

export function loadDialogs(): Promise<typeof Dialogs> {
  return Promise.resolve(Dialogs);
}
