/** Work that whoever uses the page need not wait for. */

/** However busy the page is, the work begins after so many milliseconds. */
const LATEST_MS = 1000;
/** Where the browser does not tell when it is idle. */
const PAUSE_MS = 50;

/** Calls once the page has nothing else to do; what this answers takes that back. */
export function whenIdle(call: () => void): () => void {
  if ("requestIdleCallback" in window) {
    const waiting = window.requestIdleCallback(call, { timeout: LATEST_MS });
    return () => { window.cancelIdleCallback(waiting); };
  }
  const timer = setTimeout(call, PAUSE_MS);
  return () => { clearTimeout(timer); };
}
