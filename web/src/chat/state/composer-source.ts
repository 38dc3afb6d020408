/** What the field of a message needs from around it, and what its menus show. */
import type { AskPreview, NewTurn, Preview } from "../../api";
import type { ReadSize } from "./attachments.svelte";
import type { Drafts } from "./drafts";
import type { ReadNames } from "../../files/state/filter.svelte";
import type { LastModel } from "../../models/state/last-model.svelte";
import type { PickedItems } from "../../picks/state/pick-values";

export interface SlashCommand {
  id: string;
  title: string;
  hint: string;
  kind: "command" | "skill" | "prompt";
  /** The diamond of a skill. */
  color?: string;
  /** A skill that is on. */
  isOn?: boolean;
  run(field: MessageField): void;
}

/** Where a command can put words. */
export interface MessageField {
  insert(text: string): void;
}

/** One row of the menu over the field. */
export interface MenuRow {
  id: string;
  title: string;
  hint: string;
  kind: "file" | "resource" | SlashCommand["kind"];
  color?: string | undefined;
  isOn?: boolean | undefined;
  /** Only a beginning: the menu stays open for the rest. */
  isPart?: boolean;
}

/** What servers offer a message. */
export interface ServerOffers {
  mentions(query: string, signal: AbortSignal): Promise<readonly MenuRow[]>;
  prompts(): Promise<readonly SlashCommand[]>;
  /** The servers that told nothing. */
  silent(): Promise<readonly string[]>;
  /** The menu has closed: what it shows next is asked for anew. */
  forget(): void;
}

export interface ComposerSource {
  drafts: Drafts;
  /** The model that new conversations begin with: the one chosen last. */
  model: Pick<LastModel, "id" | "choose">;
  readNames: ReadNames;
  readSize: ReadSize;
  commands(): readonly SlashCommand[];
  offers: ServerOffers;
  /** The open tabs and the shown one. */
  tabs(): { open: readonly string[]; active: string | null };
  /** What is picked to go along with every message. */
  along(): PickedItems;
  /** Counts what is picked again: another model counts otherwise. */
  recount(): void;
  /** Waits until it is known what of it can go along; null where that is known. */
  counted(): Promise<unknown> | null;
  /** What would be sent; null where that can't be told beforehand. */
  preview: ((asked: AskPreview, signal: AbortSignal) => Promise<Preview>) | null;
}

/** What goes along with every message. */
export type GoesAlong = Pick<NewTurn, "files" | "contextIds" | "exceptFiles" | "skillIds" | "additionalPrompt" | "openTabs" | "activeTab">;
