/** The shown file, if its text is live; else nobody can change it. */
import type { App } from "./app.svelte";

export function livePath(app: App): string | null {
  const path = app.workspace?.tabs.active ?? null;
  const isLive = path !== null && (app.workspace?.documents.get(path).live?.synced ?? false);
  return isLive ? path : null;
}
