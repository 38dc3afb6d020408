/** What reviewing in the editor asks of the page. */
import type { ReviewAround } from "../../editor";
import type { App } from "../../app/app.svelte";
import { authorText } from "../state/reviews.svelte";
import type { Workspace } from "../../app/workspace.svelte";

export function reviewAround(app: App, workspace: Workspace): ReviewAround {
  return {
    decide: (review, hunks, verdict) => {
      const work = workspace.reviews.decideHunks(review, hunks, verdict);
      app.background(work);
      return work.catch(() => "failed" as const);
    },
    author: (by) => authorText(by, (model) => app.assistance.models.find(model)?.name ?? model),
    onStanding: (path, standing) => { workspace.documents.get(path).onEdits(standing); },
  };
}
