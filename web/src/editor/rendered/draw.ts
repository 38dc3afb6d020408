/** Draws the parts of a Markdown document that are on screen. Only looks at the text, never changes it. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { blocks } from "./blocks";
import { type Drawing, Sheet, type Span } from "./sheet";
import { spans } from "./spans";
import type { Visit } from "./visit";

const visits = new Map<string, Visit>(Object.entries({ ...spans, ...blocks }));

/** The drawing of some windows of a document, with syntax shown at some places. */
export function draw(state: EditorState, windows: readonly Span[], places: readonly Span[]): Drawing {
  const sheet = new Sheet(state, places);
  const tree = syntaxTree(state);
  for (const window of windows) {
    tree.iterate({ from: window.from, to: window.to, enter: (node) => visits.get(node.name)?.(node, sheet, window) ?? true });
    sheet.eachLine(window, window, (at) => {
      const look = sheet.line(at);
      if (!look.verbatim && state.doc.lineAt(at).text.trim() === "") look.classes.add("cm-blank");
    });
  }
  return sheet.finish();
}
