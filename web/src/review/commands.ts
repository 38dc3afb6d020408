/** What can be done with edits that wait for review, for the palette. In the text, keys of its own do the same. */
import type { Verdict } from "../api";
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import type { EditProgress } from "../documents/state/documents.svelte";

export function reviewCommands(app: App): Command[] {
  const group = "Document";
  const some = () => app.viewer !== null && (standing(app)?.count ?? 0) > 0;
  const atOne = () => app.viewer !== null && (standing(app)?.current ?? 0) > 0;
  const listed = () => (app.workspace?.reviews.items.length ?? 0) > 0 && app.workspace?.reviews.isDeciding === false;
  return [
    { id: "next-edit", title: "Next edit to review", group, keys: [], enabled: some, run: () => { app.viewer?.goToEdit(1); } },
    { id: "previous-edit", title: "Previous edit to review", group, keys: [], enabled: some, run: () => { app.viewer?.goToEdit(-1); } },
    { id: "accept-edit", title: "Accept the edit at the cursor", group, keys: [], enabled: atOne, run: () => { app.viewer?.decideHere("accept"); } },
    { id: "reject-edit", title: "Reject the edit at the cursor", group, keys: [], enabled: atOne, run: () => { app.viewer?.decideHere("reject"); } },
    { id: "review-on", title: "Review AI edits before they count", group, keys: [], enabled: () => isDirect(app), run: () => { setReviewing(app, true); } },
    { id: "review-off", title: "Let AI edits count at once", group, keys: [], enabled: () => app.project !== null && !isDirect(app), run: () => { setReviewing(app, false); } },
    { id: "accept-all-edits", title: "Accept all edits of this project", group, keys: [], enabled: listed, run: () => { decideAll(app, "accept"); } },
    { id: "reject-all-edits", title: "Reject all edits of this project", group, keys: [], enabled: listed, run: () => { decideAll(app, "reject"); } },
  ];
}

/** Whether edits of an AI count at once in this project, without anybody's review. A project may say otherwise than the settings. */
export function isDirect({ project, preferences }: App): boolean {
  const policy = project?.settings.writePolicy ?? null;
  return policy === null ? preferences.chats.review === "direct" : policy === "direct";
}

export function setReviewing(app: App, on: boolean): void {
  const { project } = app;
  if (project) app.background(told(app, app.projects.setReviewing(project, on).then(() => (on ? "Edits of the AI now wait for your review." : "Edits of the AI now count at once. Undo still takes them back."))));
}

function standing({ workspace }: App): EditProgress | null {
  const path = workspace?.tabs.active ?? null;
  return workspace && path !== null ? workspace.documents.get(path).edits : null;
}

/** Decides everything that waits in the project, and says how that went. */
export function decideAll(app: App, verdict: Verdict): void {
  const reviews = app.workspace?.reviews;
  if (reviews) app.background(told(app, reviews.decideAll(verdict)));
}

/** Decides everything that a turn wrote, and says how that went. */
export function decideTurn(app: App, turnId: string, verdict: Verdict): void {
  const reviews = app.workspace?.reviews;
  if (reviews) app.background(told(app, reviews.decideTurn(turnId, verdict)));
}

async function told(app: App, outcome: Promise<string>): Promise<void> {
  app.toasts.show(await outcome);
}
