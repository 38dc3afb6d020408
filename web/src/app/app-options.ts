/** What the page's state is made with, and the dialogs of which it has one open. */
import type { EventSourceLike, Thread } from "../api";
import type { SlashCommand } from "../chat/state/composer-source";
import type { Command, PageActions } from "../core/commands";
import type { Palette } from "../palette/state/palette.svelte";

export type Dialog = "authors" | "versions" | "change" | "open-folder" | "rename" | "remove" | "shortcuts" | "rename-chat" | "remove-chat" | "move-chat" | "folder" | "new-file" | "rename-file" | "move-file" | "move-links" | "new-from-template" | "insert-template" | "trash" | "tags" | "undo" | "outline" | "additional-prompt" | "context" | "skill" | "skill-text" | "preview" | "add-reference" | "duplicates" | "publish" | "bring-back" | "citations";

export interface AppOptions {
  fetch?: typeof fetch;
  openEvents?: (url: string) => EventSourceLike;
  /** What the page needs first comes in one answer, not in two dozen. */
  readsTogether?: boolean;
}

/** What the features do with the page. They know its state, so it is given them instead of importing them. */
export interface AppFeatures<App> {
  commands(app: App, actions: PageActions): Command[];
  palette(app: App): Palette;
  /** What / offers in the message field. */
  slashMenu(app: App): SlashCommand[];
  goToThread(app: App, thread: Thread): void;
}
