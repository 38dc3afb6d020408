/** Brings the view of a Word document, with its tools, which are a chunk of their own. */
export function loadWordView() {
  return import("./WordView.svelte");
}
