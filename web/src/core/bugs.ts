/** Errors that nothing in the page expected: they reach the window, and somebody has to hear of them. */

/** Calls back for each; what is returned stops that. */
export function onBug(tell: () => void): () => void {
  const rejected = ({ reason }: PromiseRejectionEvent) => { if (isBug(reason)) tell(); };
  // A browser's own complaints, such as that a size changed twice in a frame, come without an error.
  const thrown = ({ error }: ErrorEvent) => { if (isBug(error)) tell(); };
  window.addEventListener("unhandledrejection", rejected);
  window.addEventListener("error", thrown);
  return () => {
    window.removeEventListener("unhandledrejection", rejected);
    window.removeEventListener("error", thrown);
  };
}

/** What was given up on purpose is no bug. */
function isBug(error: unknown): boolean {
  return error instanceof Error && error.name !== "AbortError";
}
