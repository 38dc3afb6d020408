/** What can be done with contexts and skills, for the palette and the keys. */
import type { Context } from "../api";
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import { newContext, updateToMatch } from "./actions";
import { editSkill, readSkill } from "../skills/actions";

export function contextCommands(app: App): Command[] {
  const group = "Contexts and skills";
  const ready = () => app.workspace !== null;
  const some = () => app.workspace !== null && !app.workspace.picked.isEmpty;
  return [
    { id: "pick", title: "Switch contexts and skills…", group, keys: ["Mod+Shift+Y"], enabled: ready, run: () => { app.palette.show("picks"); } },
    { id: "new-context", title: "New context of the ticked files…", group, keys: [], enabled: ready, run: () => { newContext(app); } },
    { id: "match-context", title: "Update the context to match the ticks", group, keys: [], enabled: () => differing(app) !== null, run: () => { match(app); } },
    { id: "send-nothing", title: "Untick everything and switch all off", group, keys: [], enabled: some, run: () => { app.workspace?.picked.clear(); } },
    { id: "new-skill", title: "New skill…", group, keys: [], enabled: ready, run: () => { editSkill(app, null); } },
    { id: "review-skills", title: "Review the skills found in this folder…", group, keys: [], enabled: () => firstWaiting(app) !== null, run: () => { reviewFirst(app); } },
  ];
}

/** The context that is on and whose files are not those that are ticked; null where it is none, or not one alone. */
function differing({ workspace }: App): Context | null {
  if (!workspace) return null;
  const { contexts, picked } = workspace;
  const found = contexts.list.filter((context) => picked.contextIds.includes(context.id) && picked.differs(context));
  return found.length === 1 ? (found[0] ?? null) : null;
}

function match(app: App): void {
  const context = differing(app);
  if (context) app.background(updateToMatch(app, context));
}

function firstWaiting({ workspace }: App) {
  return workspace?.skills.waiting[0] ?? null;
}

function reviewFirst(app: App): void {
  const skill = firstWaiting(app);
  if (skill) readSkill(app, skill);
}
