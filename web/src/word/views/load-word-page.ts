/** Brings ProseMirror and what draws a Word document, which are a chunk of their own. */
export function loadWordPage() {
  return import("../../word-page");
}
