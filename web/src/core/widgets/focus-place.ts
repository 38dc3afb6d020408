/** Where the focus is, told so that it can be found again when what had it was taken away or drawn anew. */

export const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), [tabindex="0"], [contenteditable="true"]';
/** Lists of which one item at a time can have the focus, and say which. */
const ROVING = '[role="tree"], [role="listbox"], [role="tablist"]';
const WRITTEN_IN = 'input, textarea, [contenteditable="true"]';

/** Remembers the place of an element; answers what can have the focus there now: itself, what came instead, or what is nearest. */
export function placeOf(element: HTMLElement): () => HTMLElement | null {
  const isField = element.matches(WRITTEN_IN);
  const list = element.closest(ROVING);
  const line: { parent: Element; index: number }[] = [];
  for (let child: Element = element; child.parentElement && child !== document.body; child = child.parentElement) {
    line.push({ parent: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  }
  // Keys that were meant for a button must not end up in a text.
  const canHave = (found: HTMLElement) => isShown(found) && (isField || !found.matches(WRITTEN_IN));
  return () => {
    if (element.isConnected && element.matches(FOCUSABLE) && isShown(element)) return element;
    const chosen = list?.isConnected ? list.querySelector<HTMLElement>('[tabindex="0"]') : null;
    if (chosen) return chosen;
    for (const { parent, index } of line) {
      if (!parent.isConnected) continue;
      const near = [parent.children[index], parent.children[index - 1], parent].flatMap((one) => (one ? [one, ...one.querySelectorAll(FOCUSABLE)] : []));
      const found = near.find((one): one is HTMLElement => one instanceof HTMLElement && one.matches(FOCUSABLE) && canHave(one));
      if (found) return found;
    }
    return null;
  };
}

/** Puts the focus back near its last place when what had it goes away: without, the keyboard would begin at the top of the page. */
export function keepFocus(): () => void {
  let place: (() => HTMLElement | null) | null = null;
  let frame = 0;

  function focused({ target }: FocusEvent) {
    place = target instanceof HTMLElement ? placeOf(target) : null;
  }

  function blurred({ target }: FocusEvent) {
    // What is taken away is still there during this event; what is left by a click stays.
    queueMicrotask(() => {
      if (isFocusNowhere() && target instanceof HTMLElement && target.isConnected && target.matches(FOCUSABLE) && isShown(target)) place = null;
    });
  }

  function changed() {
    if (place === null || !isFocusNowhere() || frame !== 0) return;
    // Whoever took it away may be about to say where the focus goes.
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (isFocusNowhere()) place?.()?.focus({ preventScroll: true });
    });
  }

  const observer = new MutationObserver(changed);
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden", "inert"] });
  document.addEventListener("focusin", focused);
  document.addEventListener("focusout", blurred);
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    document.removeEventListener("focusin", focused);
    document.removeEventListener("focusout", blurred);
  };
}

/** Whether nothing on the page has the focus. */
export function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function isShown(element: HTMLElement): boolean {
  return element.closest("[hidden], [inert]") === null;
}
