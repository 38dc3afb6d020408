/** What can be done with threads, for the palette, the keys and the bar beside a selection. */
import type { Thread } from "../api";
import type { App } from "../app/app.svelte";
import type { Command } from "../core/commands";
import { livePath } from "../app/live-path";
import type { ThreadDraft, Threads } from "./state/threads.svelte";

export function threadCommands(app: App): Command[] {
  const group = "Document";
  const inText = () => app.viewer !== null && livePath(app) !== null && !app.layout.versoHidden;
  const ready = () => app.workspace !== null;
  return [
    { id: "thread", title: "Thread on the selection", group, keys: ["Mod+Shift+C"], enabled: inText, run: () => { startThread(app, "thread"); } },
    { id: "comment", title: "Comment on the selection", group, keys: ["Mod+Shift+M"], enabled: inText, run: () => { startThread(app, "comment"); } },
    { id: "next-thread", title: "Next thread in the text", group, keys: ["F8"], enabled: inText, run: () => { stepThread(app, 1); } },
    { id: "previous-thread", title: "Previous thread in the text", group, keys: ["Shift+F8"], enabled: inText, run: () => { stepThread(app, -1); } },
    { id: "resolve-thread", title: "Resolve the open thread, or reopen it", group, keys: ["Mod+Shift+Enter"], enabled: () => (shown(app)?.opened ?? null) !== null, run: () => { resolveOpen(app); } },
    { id: "show-threads", title: "Show the threads", group, keys: [], enabled: ready, run: () => { app.openThread(null); } },
  ];
}

/** Asks for the first words of a thread or comment on the selection; without one, opens the thread at the cursor. */
export function startThread(app: App, kind: ThreadDraft["kind"]): void {
  const { viewer, workspace } = app;
  const passage = viewer?.threads.selected() ?? null;
  const here = viewer?.threads.here() ?? null;
  if (passage && workspace) {
    const { path, text, line, place } = passage;
    const where = (): ReturnType<ThreadDraft["where"]> => {
      const at = passage.where();
      return at && { kind: "text", path, ...at };
    };
    viewer?.dismissSelection();
    app.showThreads();
    workspace.threads.begin({ kind, text, path, line, place, where });
  } else if (here !== null) enterThread(app, here);
  else app.toasts.show("Select a passage first.");
}

/** Opens a thread, with the cursor in its field. */
export function enterThread(app: App, id: string): void {
  app.openThread(id);
  app.workspace?.threads.composer.focus();
}

/** Shows a passage: in its file, or in the chat with the answer it is from. */
export function goToThread(app: App, { id, path, line, answer, isDetached }: Thread): void {
  if (answer) app.openChat(answer.chatId);
  if (path === null) return;
  app.openFile(path, true, isDetached || line === null ? null : { line, column: 1 });
  if (app.workspace && !isDetached) app.workspace.documents.get(path).wantsThread = id;
}

/** Goes to the next thread of the text. While a thread shows beside it, that one is shown there. */
function stepThread(app: App, step: 1 | -1): void {
  const id = app.viewer?.threads.step(step) ?? null;
  if (id === null) app.toasts.show("There are no threads in this text.");
  else if (shown(app)?.opened) app.openThread(id);
}

function resolveOpen(app: App): void {
  const threads = shown(app);
  const thread = threads?.opened;
  if (!threads || !thread) return;
  const { id } = thread;
  const set = (resolved: boolean) => { app.background(threads.resolve(id, resolved).then(() => { tell(resolved); })); };
  const tell = (resolved: boolean) => {
    if (resolved) app.toasts.show("Resolved.", { label: "Reopen", run: () => { set(false); } });
    else app.toasts.show("Open again.");
  };
  set(thread.status !== "resolved");
}

/** The threads, while they are on the right page. */
function shown({ workspace, layout }: App): Threads | null {
  return workspace?.rightView === "threads" && !layout.rightHidden ? workspace.threads : null;
}
