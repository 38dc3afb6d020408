/** Whether a suggestion may be asked for at a place of an editor, and in which language. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { asksAfter } from "./plusses";

/** How far back a word is looked at. */
const BACK = 16;

/** The language at a place: that of the text, or of the code in it; null in prose. */
export function languageAt(state: EditorState, at: number, language: string | null): string | null {
  if (language !== null) return language;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) {
    const found = languageOfNode(state, node, at);
    if (found !== null) return found;
  }
  return null;
}

/** The language of a piece of code in Markdown, empty if it says none; null if it is no code. */
function languageOfNode(state: EditorState, node: SyntaxNode, at: number): string | null {
  switch (node.name) {
    case "FencedCode": {
      const info = node.getChild("CodeInfo");
      return info ? (/^[\w#+.-]{1,40}/.exec(state.sliceDoc(info.from, info.to))?.[0] ?? "") : "";
    }
    case "CodeBlock":
      return "";
    case "InlineCode":
      return at < node.to ? "" : null;
    case "FrontMatter":
      return "yaml";
    case "HTMLBlock":
      return "html";
    default:
      return null;
  }
}

/** In a table a suggestion could break the row it is in. */
export function isInTable(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) if (node.name === "Table") return true;
  return false;
}

/** Whether two plusses typed at a place ask for a suggestion. */
export function asksAt(state: EditorState, at: number, language: string | null): boolean {
  const line = state.doc.lineAt(at);
  const before = state.sliceDoc(Math.max(line.from, at - BACK), at);
  return asksAfter(before, languageAt(state, at, language)) && !isInTable(state, at);
}
