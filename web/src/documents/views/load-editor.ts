/** Brings the editor, which is a chunk of its own. Called early too, so that the first file opens at once. */
export function loadEditor() {
  return import("../../editor");
}
