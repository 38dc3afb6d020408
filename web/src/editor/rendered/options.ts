/** What the rendered text asks of the page around it. */
import { Facet } from "@codemirror/state";

/** Where an address leads. */
export type Target = { kind: "web" | "mail"; href: string; host: string } | { kind: "file"; path: string };

/** A picture that a text names as notes do, without saying where it lies. */
export type NamedPicture = { path: string; address: string } | "looking" | "missing";

export type NoteShown = { path: string; text: string } | "looking" | "missing";

/** A picture of a diagram, or why there is none. */
export type Diagram = { address: string; width: number; height: number } | { problem: string };

export interface RenderedOptions {
  /** The target of an address as it is written; null for one that nobody should be led to. */
  targetOf: (address: string) => Target | null;
  openLink: (href: string) => void;
  openFile: (path: string) => void;
  openNote: (name: string) => void;
  /** From where the page may load a picture of the workspace, by the path the text names; null if it is none. */
  pictureAt: (path: string) => string | null;
  /** The picture of a name; null if the name is none of a picture. One that was looked for is drawn anew. */
  pictureNamed: (name: string) => NamedPicture | null;
  /** The text of a note, or of what stands under a heading of it, that a text shows: `![[name#heading]]`. */
  noteShown: (name: string) => NoteShown;
  /** Whether a link leads to a note that is not there. What is looked for now is drawn anew if it is missing. */
  isMissing: (found: { name: string } | { path: string }) => boolean;
  /** Draws Markdown in place; what to do when the place goes. */
  drawText: (place: HTMLElement, text: string) => () => void;
  /** What the pointer is told of a note: the beginning of its text; null for no note. */
  preview: (found: { name: string } | { path: string }) => Promise<string | null>;
  openTag: (tag: string) => void;
  /** A diagram that was drawn; null while it is being drawn, and the text is drawn anew then. */
  diagram: (source: string) => Diagram | null;
  /** Draws a formula in place of its source, which is the element's text; `data-math` says whether inline or display. Null: drawn at once. */
  drawFormula: (place: HTMLElement) => Promise<void> | null;
}

const nowhere: RenderedOptions = {
  targetOf: () => null,
  openLink: () => undefined,
  openFile: () => undefined,
  openNote: () => undefined,
  pictureAt: () => null,
  pictureNamed: () => null,
  noteShown: () => "missing",
  isMissing: () => false,
  drawText: () => () => undefined,
  preview: () => Promise.resolve(null),
  openTag: () => undefined,
  diagram: () => null,
  drawFormula: () => null,
};

/** The note that a wiki link names, with the heading of it. */
export function noteNameOf(wiki: string): string { return (/^!?\[\[([^\]|]+)/.exec(wiki)?.[1] ?? "").trim(); }

export const renderedOptions = Facet.define<RenderedOptions, RenderedOptions>({ combine: (given) => given[0] ?? nowhere });

/** Where the source shows whether or not the cursor is there. */
export const sourceShown = Facet.define<readonly { readonly from: number; readonly to: number }[], readonly { readonly from: number; readonly to: number }[]>({ combine: (given) => given.flat() });
