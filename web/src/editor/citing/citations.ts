/** Where a Markdown text cites: pandoc's `[@key, p. 3; -@other]` and `@key`. Code and front matter have none. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import type { Tree } from "@lezer/common";
import { LineSearch } from "./line-search";

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
const HEAD_BEGINS = /^---[ \t]*$/;
const HEAD_ENDS = /^(?:---|\.\.\.)[ \t]*$/;
const CODE = /Code|Comment|HTMLBlock|URL|InlineMath|BlockMath|FrontMatter|Frontmatter|ProcessingInstruction/;

/** The front matter as it is typed. */
export function headOf(doc: Text): string {
  if (doc.lines < 3 || !HEAD_BEGINS.test(doc.line(1).text)) return "";
  const lines = doc.iterLines(3);
  let end = doc.line(3).from;
  for (let next = lines.next(); !next.done; next = lines.next()) {
    end += next.value.length + 1;
    if (HEAD_ENDS.test(next.value)) return doc.sliceString(0, end);
  }
  return "";
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

const known = new WeakMap<Text, { readonly tree: Tree; readonly mentions: readonly Citation[] }>();

/** Each move of the cursor asks; a text is read once, and again once more of it is parsed. */
function mentionsIn(state: EditorState): readonly Citation[] {
  const tree = syntaxTree(state);
  const read = known.get(state.doc);
  if (read?.tree === tree) return read.mentions;
  const mentions = mentionsOf(state.doc, tree);
  known.set(state.doc, { tree, mentions });
  return mentions;
}

const search = new LineSearch(mentionsOfLine);

function mentionsOf(doc: Text, tree: Tree): Citation[] {
  const start = headOf(doc).length;
  return search.linesOf(doc).flatMap(({ from, found }) => {
    const mentions = from < start ? [] : found.map((mention) => moved(mention, from));
    return mentions.filter((mention) => !isCode(tree.resolveInner(mention.from + mention.text.indexOf("@"), 1).name));
  });
}

/** What a line might cite, with places in the line: whether it is code is not seen in a line. */
function mentionsOfLine(line: string): Citation[] | null {
  if (!line.includes("@")) return null;
  const found: Citation[] = [];
  for (const { 0: text, index: from } of line.matchAll(CITATION)) {
    const to = from + text.length;
    // What follows makes it a link or a footnote.
    const next = line[to] ?? "";
    if (text.startsWith("[") && (next === "(" || next === ":")) continue;
    const keys = keysIn(text, from);
    if (keys.length > 0) found.push({ from, to, text, keys });
  }
  return found.length > 0 ? found : null;
}

function moved({ from, to, text, keys }: Citation, by: number): Citation {
  return { from: from + by, to: to + by, text, keys: keys.map((key) => ({ key: key.key, from: key.from + by, to: key.to + by })) };
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
