/** Brings the view of a notebook, which is a chunk of its own. */
export function loadNotebookView() {
  return import("./NotebookView.svelte");
}
