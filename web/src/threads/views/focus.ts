/** Takes the focus that went away with what showed before; one that is elsewhere stays there. */
export function takeLostFocus(element: HTMLElement): void {
  if (document.activeElement === document.body || document.activeElement === null) element.focus();
}
