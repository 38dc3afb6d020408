/** Opens a dialog over the page, and gives the focus back to where it was when the dialog goes. */
import { placeOf } from "./focus-place";

export function modal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement instanceof HTMLElement && document.activeElement !== document.body ? placeOf(document.activeElement) : null;
  dialog.showModal();
  return () => {
    dialog.close();
    before?.()?.focus();
  };
}
