/**
 * When two plusses ask for a suggestion. In prose they do after white space, at the start of a line, after
 * punctuation and after a word of two letters or more; not after one letter or a digit (C++, i++, 5++), nor after
 * another plus. In code they do at the start of a line and after white space, but never in a language in which ++
 * means something.
 */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

/** How far back a word is looked at. */
const BACK = 16;
const WORD_END = /[\p{L}\p{N}][\p{M}]*$/u;
const LETTERS = /\p{L}\p{M}*\p{L}\p{M}*$/u;

/** Languages in which ++ means something, as they are named, in small letters; and their endings. */
const WITH_PLUSSES = new Set([
  "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "html", "htm", "svelte", "vue", "astro", "c", "h", "c++", "cpp", "cxx", "cc", "hpp",
  "objective-c", "objc", "m", "c#", "csharp", "cs", "java", "go", "golang", "php", "perl", "pl", "pm", "kotlin", "kt", "kts", "scala", "dart", "groovy",
  "shell", "sh", "bash", "zsh", "ksh", "console", "awk", "haskell", "hs", "elm", "purescript", "idris", "agda", "elixir", "ex", "exs", "erlang", "erl",
  "zig", "d", "coffeescript", "coffee", "arduino", "ino", "glsl", "hlsl", "wgsl", "cuda", "cu", "solidity", "sol", "powershell", "ps1", "actionscript",
  "processing", "vala", "tcl", "diff", "patch",
]);

export function hasPlusses(language: string): boolean {
  return WITH_PLUSSES.has(language.toLowerCase());
}

/** Whether two plusses after these words, on one line, ask for a suggestion. */
export function asksAfter(before: string, language: string | null): boolean {
  if (language !== null) return !hasPlusses(language) && /(?:^|\s)$/.test(before);
  if (before.endsWith("+")) return false;
  return !WORD_END.test(before) || LETTERS.test(before);
}

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
