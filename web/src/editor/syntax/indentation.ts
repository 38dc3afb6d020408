/** How a text is indented: as its folder wants it, else as its own lines are; where none is indented yet, as is usual in its language. */
import { indentUnit, LanguageDescription, syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, StateField, type Text } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { isMarkdown, isProse } from "../facts";
import { languageOf, languages } from "./languages";

/** So many lines tell how a file is indented; reading more would only cost time. */
const LOOKED_AT = 2000;
const WIDEST = 8;
const TWO = "  ";
const FOUR = "    ";
const LIST_LINE = /^[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;

/** What is usual, by the name of the language; two spaces for those that are not named. */
const USUAL: Readonly<Record<string, string>> = {
  Go: "\t", Python: FOUR, Rust: FOUR, "C++": FOUR, Java: FOUR, SQL: FOUR, Julia: FOUR, Perl: FOUR,
};

/** One step of indentation in these lines; null when none of them is indented. */
export function indentationOf(lines: Iterable<string>): string | null {
  let tabs = 0;
  let spaces = 0;
  let before = 0;
  const steps = new Map<number, number>();
  for (const line of lines) {
    const lead = leadOf(line);
    if (lead.length === line.length) continue;
    if (lead.startsWith("\t")) tabs += 1;
    else if (lead.length > 1) spaces += 1;
    // Only what lies deeper than the line above tells a step: from there back it may be several.
    const step = lead.length - before;
    if (!lead.includes("\t") && step > 1 && step <= WIDEST) steps.set(step, (steps.get(step) ?? 0) + 1);
    before = lead.length;
  }
  if (tabs > spaces) return "\t";
  const [most] = [...steps].sort(([width, count], [other, otherCount]) => otherCount - count || width - other);
  return most ? " ".repeat(most[0]) : null;
}

/** The white space at the beginning of a line. */
export function leadOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** One step of indentation where a file has none yet, by its name. */
export function usualIndentation(name: string): string {
  if (/^(?:GNU)?makefile$|\.mk$/i.test(name)) return "\t";
  if (isProse(name)) return isMarkdown(name) ? TWO : FOUR;
  return usualIn(languageOf(name));
}

function usualIn(language: LanguageDescription | null): string {
  return USUAL[language?.name ?? ""] ?? TWO;
}

function* linesOf(doc: Text, from: number, to: number, counts: (line: string) => boolean): Iterable<string> {
  let left = LOOKED_AT;
  for (const line of doc.iterLines(from, to)) {
    if (left === 0) return;
    left -= 1;
    if (counts(line)) yield line;
  }
}

/** The lines of a block comment stand one column off. */
const isCode = (line: string): boolean => !/^[ \t]*\*/.test(line);

function read(doc: Text, name: string): string | null {
  const isRead = isMarkdown(name) ? (line: string) => LIST_LINE.test(line) : isCode;
  return indentationOf(linesOf(doc, 1, doc.lines + 1, isRead));
}

/** Has a text indented as the file is. A file that is not indented yet is looked at again while somebody writes. */
export function indentation(name: string, wanted: string | null | undefined): Extension {
  if (wanted !== null && wanted !== undefined) return indentUnit.of(wanted);
  return StateField.define<string | null>({
    create: ({ doc }) => read(doc, name),
    update: (unit, { docChanged, newDoc }) => (unit === null && docChanged ? read(newDoc, name) : unit),
    provide: (field) => indentUnit.from(field, (unit) => unit ?? usualIndentation(name)),
  });
}

/** The block of code around a place in Markdown. */
function codeAround(state: EditorState, at: number): SyntaxNode | null {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) {
    if (node.name === "FencedCode" || node.name === "CodeBlock") return node;
  }
  return null;
}

/** One step of indentation at a place: code in Markdown has its own. */
export function indentationAt(state: EditorState, at: number): string {
  const code = codeAround(state, at);
  if (!code) return state.facet(indentUnit);
  const first = state.doc.lineAt(code.from).number + (code.name === "FencedCode" ? 1 : 0);
  const end = state.doc.lineAt(code.to).number + (code.name === "FencedCode" ? 0 : 1);
  const info = code.getChild("CodeInfo");
  const language = info && LanguageDescription.matchLanguageName(languages, state.sliceDoc(info.from, info.to));
  return indentationOf(linesOf(state.doc, first, Math.max(first, end), isCode)) ?? usualIn(language);
}

/** Whether a place in prose is set as code. */
export function isInCode(state: EditorState, at: number): boolean {
  return codeAround(state, at) !== null;
}
