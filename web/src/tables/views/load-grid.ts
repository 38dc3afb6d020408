/** Brings the grid of a table, which is a chunk of its own. */
export function loadGrid() {
  return import("./GridView.svelte");
}
