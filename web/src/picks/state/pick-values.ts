/** What can be picked, as plain values. */
import { isText, isTextList } from "../../core/browser-storage";

/** The parts of a context that matter here. */
export interface PickedContext {
  readonly id: string;
  readonly files: readonly string[];
  readonly missingFiles?: readonly string[];
}

/** What a chat keeps pinned. Its additional files are those that none of its contexts brings. */
export interface Pins {
  contextIds: string[];
  skillIds: string[];
  additionalFiles: string[];
  additionalPrompt: string;
}

/** What a message names besides its own words. */
export interface PickedItems {
  files: string[];
  contextIds: string[];
  /** Files of those contexts that are not ticked: the server sends the others. */
  exceptFiles?: string[];
  skillIds: string[];
  additionalPrompt: string;
}

/** What a new chat begins with. */
export interface Defaults {
  contextIds: readonly string[];
  skillIds: readonly string[];
}

export const NOTHING: PickedItems = { files: [], contextIds: [], skillIds: [], additionalPrompt: "" };

/** Those of some ids that still stand for something; all of them while that is not known. */
export function living(ids: readonly string[], known: readonly { readonly id: string }[] | null): readonly string[] {
  return known === null ? ids : ids.filter((id) => known.some((one) => one.id === id));
}

/** How many of some files lie in each folder, at any depth. */
export function countInside(files: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of files) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return counts;
}

/** The files of some contexts that a message does not name. */
export function filesLeftOut(contexts: readonly PickedContext[], ids: readonly string[], files: readonly string[]): string[] {
  const named = new Set(files);
  const brought = contexts.filter(({ id }) => ids.includes(id)).flatMap((context) => context.files);
  return [...new Set(brought)].filter((path) => !named.has(path));
}

export function isPickedItems(value: unknown): value is PickedItems {
  if (typeof value !== "object" || value === null) return false;
  const { files, contextIds, skillIds, additionalPrompt } = value as Record<string, unknown>;
  return isTextList(files) && isTextList(contextIds) && isTextList(skillIds) && isText(additionalPrompt);
}
