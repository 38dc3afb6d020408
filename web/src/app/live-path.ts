/** The shown file, if its text is live; else nobody can change it. */
import type { App } from "./app.svelte";

export function livePath(app: App): string | null {
  const path = app.workspace?.tabs.active ?? null;
  const isLive = path !== null && (app.workspace?.documents.get(path).live?.synced ?? false);
  return isLive ? path : null;
}

/** The shown file, if AI can be asked to change it: a live text, or a Word document that may be edited here. */
export function editablePath(app: App): string | null {
  const path = app.workspace?.tabs.active ?? null;
  const isPage = path !== null && app.workspace?.documents.get(path).store !== null;
  return livePath(app) ?? (isPage ? path : null);
}
