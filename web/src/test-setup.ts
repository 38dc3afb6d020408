/** What jsdom lacks: layout, media, modal dialogs, observers of size, locks. */
import { cleanup, configure } from "@testing-library/svelte";
import { afterEach, beforeEach } from "vitest";
import { installLocks } from "./fakes/fake-locks";

// What waits ends with what it waits for; a busy machine is no reason to fail.
configure({ asyncUtilTimeout: 50_000, getElementError: (message) => new Error(message ?? "") });

const rect = () => new DOMRect(0, 0, 8, 16);
Range.prototype.getBoundingClientRect = rect;
Range.prototype.getClientRects = function getClientRects() {
  return Object.assign([rect()], { item: () => rect() });
};
window.matchMedia = (media) => Object.assign(new EventTarget(), { matches: false, media, onchange: null, addListener: () => undefined, removeListener: () => undefined });
Element.prototype.scrollIntoView = () => undefined;
HTMLDialogElement.prototype.showModal = function showModal() {
  this.setAttribute("open", "");
  this.querySelector<HTMLElement>("[autofocus]")?.focus();
};
HTMLElement.prototype.showPopover = () => undefined;
HTMLDialogElement.prototype.close = function close() {
  this.removeAttribute("open");
};
window.ResizeObserver = class {
  observe() {
    return undefined;
  }
  unobserve() {
    return undefined;
  }
  disconnect() {
    return undefined;
  }
};

beforeEach(() => { installLocks(); });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});
