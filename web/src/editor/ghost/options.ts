/** What suggestions at the cursor need of the page: somebody to ask, and what the person wants of them. */
import { Facet } from "@codemirror/state";
import type { Suggestion } from "../../ghost/ghost";

/** What is asked for: how the text goes on between two pieces of it. */
export interface GhostRequest {
  path: string;
  prefix: string;
  suffix: string;
  /** The language at this place, as people name it; null in prose. */
  language: string | null;
}

/** What became of the suggestions of one answer. */
export interface Outcome {
  outcome: "accepted" | "partly" | "dismissed";
  index: number;
  characters: number;
}

export interface GhostSettings {
  /** When suggestions are made: when asked for, after a pause in typing too, or never. */
  suggest: "asked" | "pause" | "off";
  suggestPauseMs: number;
  /** After how many seconds without use a suggestion goes; 0 keeps it. */
  suggestHideSeconds: number;
}

export interface GhostSource {
  ask(request: GhostRequest, signal: AbortSignal): AsyncIterable<Suggestion>;
  /** What the person wants, read whenever it matters. */
  settings(): GhostSettings;
  outcome(id: string, what: Outcome): void;
  /** What somebody asked for could not be had. */
  failed(error: unknown): void;
}

/** The editor that suggestions are made in. */
export interface GhostPlace {
  source: GhostSource;
  path: string;
  /** The language of the whole text; null for prose. */
  language: string | null;
  /** What stands before and after the text of this editor, where it shows a part of a longer one. */
  around?: () => { before: string; after: string };
  /** Ends a step of undo, so that what comes next is one of its own. */
  endStep: () => void;
}

export const ghostPlace = Facet.define<GhostPlace, GhostPlace | null>({ combine: (all) => all[0] ?? null });

/** A suggestion shows at the earliest this long after it was asked for, so that nothing flickers. */
export const REVEAL_MS = 100;
