/** Puts suggestions into an editor: in which language, and as steps of the text's own undo. */
import type { Extension } from "@codemirror/state";
import { isProse, nameOf } from "./facts";
import { ghost, type GhostSource } from "./ghost";
import { languageOf } from "./syntax/languages";
import type { LiveText } from "./live/live-text";

/** The suggestions for a live text. */
export function suggesting(live: LiveText, source: GhostSource): Extension {
  return ghost({ source, path: live.path, language: languageIn(nameOf(live.path)), endStep: () => { live.undo.stopCapturing(); } });
}

/** The suggestions for a part of a live text, by the name of a file in its language, and what stands around it. */
export function suggestingInPart(live: LiveText, source: GhostSource, filename: string, around: (language: string | null) => { before: string; after: string }): Extension {
  const language = languageIn(filename);
  return ghost({ source, path: live.path, language, around: () => around(language), endStep: () => { live.undo.stopCapturing(); } });
}

/** What a file is written in: its language, or else the ending of its name; null for prose. */
export function languageIn(name: string): string | null {
  if (isProse(name)) return null;
  return languageOf(name)?.name ?? /\.([^.]+)$/.exec(name)?.[1] ?? "";
}
