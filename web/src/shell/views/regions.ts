/** Moving the focus from region to region: files, document, right page, bar. */
import { tick } from "svelte";
import { FOCUSABLE } from "../../core/widgets/focus-place";

const REGIONS = "[data-region]";

/** Focuses the next or previous visible region, at its entry point if it names one. */
export function focusRegion(step: 1 | -1, root: ParentNode = document): void {
  const regions = [...root.querySelectorAll<HTMLElement>(REGIONS)].filter((region) => !region.hidden);
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[at < 0 ? (step > 0 ? 0 : regions.length - 1) : (at + step + regions.length) % regions.length];
  if (next) entryOf(next).focus();
}

/** Goes into a region, once what it is to show is there. */
export async function enterRegion(id: string): Promise<void> {
  await tick();
  const region = document.getElementById(id);
  if (region) entryOf(region).focus();
}

function entryOf(region: HTMLElement): HTMLElement {
  const entry = region.querySelector<HTMLElement>("textarea[data-entry], [data-entry] [tabindex='0'], [data-entry] [contenteditable='true'], [data-entry][tabindex='0']");
  return entry ?? region.querySelector<HTMLElement>(FOCUSABLE) ?? region;
}

/** When a region goes, the focus it had goes where it came from, else to the document. */
export function giveFocusBack(region: HTMLElement, before: Element | null = null): () => void {
  return () => {
    if (document.activeElement !== document.body && !region.contains(document.activeElement)) return;
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    else {
      const page = document.querySelector("main");
      if (page) takeQuietly(page);
    }
  };
}

/** Nobody went there by key: a page that was made narrow shows no ring around all that is left. */
function takeQuietly(page: HTMLElement): void {
  page.dataset.quiet = "";
  page.addEventListener("blur", () => { delete page.dataset.quiet; }, { once: true });
  page.focus();
}
