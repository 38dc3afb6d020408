/** Brings pdf.js, which is a chunk of its own. */
export function loadPdfPage() {
  return import("../../../pdf-page");
}
