/** Where a Markdown text cites: pandoc's `[@key, p. 3; -@other]` and `@key`. Code and front matter have none. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

export interface CitedKey {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** A citation as one writes it, with all keys in its brackets. */
export interface Citation {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly keys: readonly CitedKey[];
}

// Keys are of any script: \w knows the letters of English alone.
const CITATION = /\[(?:[^\][\n]|\\[\][])*?@[^\][\n]*\]|(?<![\p{L}\p{N}_@./\\])-?@(?:\{[^{}\s]+\}|[\p{L}\p{N}_](?:[\p{L}\p{N}_]|[:.#$%&\-+?<>~/](?=[\p{L}\p{N}_]))*)/gu;
const KEY = /(?<![\p{L}\p{N}_@./\\])@(?:\{([^{}\s]+)\}|([\p{L}\p{N}_](?:[\p{L}\p{N}_]|[:.#$%&\-+?<>~/](?=[\p{L}\p{N}_]))*))/gu;
const CROSS_REFERENCE = /^(?:fig|tbl|eq|sec|lst):/;
const HEAD = /^---[ \t]*\n[\s\S]*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const CODE = /Code|Comment|HTMLBlock|URL|InlineMath|BlockMath|FrontMatter|Frontmatter|ProcessingInstruction/;

/** The front matter as it is typed. */
export function headOf(text: string): string {
  return HEAD.exec(text)?.[0] ?? "";
}

/** Citations of works; references to figures and the like are none. */
export function citationsIn(state: EditorState): Citation[] {
  return mentionsIn(state).flatMap((mention) => {
    const keys = mention.keys.filter(({ key }) => !CROSS_REFERENCE.test(key));
    return keys.length > 0 ? [{ ...mention, keys }] : [];
  });
}

/** References to figures, tables, equations, sections and listings: `@fig:gauge`. */
export function crossReferencesIn(state: EditorState): Citation[] {
  return mentionsIn(state).filter(({ keys }) => keys.every(({ key }) => CROSS_REFERENCE.test(key)));
}

function mentionsIn(state: EditorState): Citation[] {
  const text = state.doc.toString();
  if (!text.includes("@")) return [];
  const tree = syntaxTree(state);
  const start = headOf(text).length;
  const found: Citation[] = [];
  for (const match of text.matchAll(CITATION)) {
    const from = match.index;
    if (from < start || isCode(tree.resolveInner(from + match[0].indexOf("@"), 1).name)) continue;
    // What follows makes it a link or a footnote.
    const next = text[from + match[0].length] ?? "";
    if (match[0].startsWith("[") && (next === "(" || next === ":")) continue;
    const keys = keysIn(match[0], from);
    if (keys.length > 0) found.push({ from, to: from + match[0].length, text: match[0], keys });
  }
  return found;
}

function keysIn(citation: string, offset: number): CitedKey[] {
  return [...citation.matchAll(KEY)].map((match) => {
    const key = match[1] ?? match[2] ?? "";
    const from = offset + match.index + match[0].indexOf(key);
    return { key, from, to: from + key.length };
  });
}

function isCode(name: string): boolean {
  return CODE.test(name);
}
