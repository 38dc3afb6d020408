/** What a workspace needs from the page around it. */
import type { OpenSource, ProjectSettings, Thread } from "../api";
import type { SlashCommand } from "../chat/state/composer.svelte";
import type { Drafts } from "../chat/state/drafts";
import type { Models } from "../models/state/models.svelte";
import type { PickedItems } from "../picks/state/pick-values";
import type { Background } from "../core/background";

export interface WorkspaceOptions {
  background: Background;
  drafts: Drafts;
  /** Who can be asked. */
  models: Models;
  slashCommands: () => readonly SlashCommand[];
  /** Shows where a thread is. */
  goToThread: (thread: Thread) => void;
  /** What was picked by hand has given way to what is pinned to a chat. */
  picksReplaced: (before: PickedItems) => void;
  /** The project's settings as they are now. */
  settings: () => ProjectSettings;
  openEvents?: OpenSource | undefined;
}
