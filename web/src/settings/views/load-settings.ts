/** Brings the settings and the usage page, which are a chunk of their own. */
export function loadSettings() {
  return import("./Settings.svelte");
}
