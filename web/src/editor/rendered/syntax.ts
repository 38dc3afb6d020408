/** Markdown beyond GitHub's: formulas, front matter, footnotes, wiki links, embeds, highlights, tags. For the parser that `rendered` reads from. */
import { tags } from "@lezer/highlight";
import type { BlockContext, Element, InlineContext, Line, MarkdownConfig } from "@lezer/markdown";

const DOLLAR = 36;
const BACKSLASH = 92;
const EXCLAMATION = 33;
const OPEN = 91;
const CLOSE = 93;
/** In a block longer than this, brackets are plain: the parser's time for links grows with the square of their number. */
const LINKS_UP_TO = 20_000;

function isSpace(code: number): boolean {
  return code < 0 || code === 32 || code === 9 || code === 10;
}

/** The end of a formula that opens at a position: its dollar stands after no space and before no digit. -1 if there is none. */
function formulaEnd(context: InlineContext, open: number): number {
  for (let at = open + 1; at < context.end; at += 1) {
    const code = context.char(at);
    if (code === BACKSLASH) at += 1;
    else if (code === DOLLAR) {
      const next = context.char(at + 1);
      const closes = at > open + 1 && !isSpace(context.char(at - 1)) && !(next >= 48 && next <= 57);
      return closes ? at + 1 : -1;
    }
  }
  return -1;
}

function inlineMath(context: InlineContext, next: number, at: number): number {
  if (next !== DOLLAR || isSpace(context.char(at + 1)) || context.char(at + 1) === DOLLAR || context.char(at - 1) === DOLLAR) return -1;
  const end = formulaEnd(context, at);
  if (end < 0) return -1;
  const marks = [context.elt("MathMark", at, at + 1), context.elt("MathMark", end - 1, end)];
  return context.addElement(context.elt("InlineMath", at, end, marks));
}

/** The label of a formula, behind its last dollars. */
const EQUATION_LABEL = /(?<=\$\$)[ \t]*\{#eq:[^\s{}]+\}\s*$/;

/** Whether a line, from its first dollars on, also holds the closing ones. */
function closesItself(text: string): boolean {
  return /^\$\$.*\S.*\$\$\s*$/.test(text.replace(EQUATION_LABEL, ""));
}

/** A formula between lines of two dollars. It ends at a blank line too, so that an open one doesn't swallow the document. */
function blockMath(context: BlockContext, line: Line): boolean {
  const first = line.text.slice(line.pos);
  if (!first.startsWith("$$")) return false;
  const from = context.lineStart + line.pos;
  const marks = [context.elt("MathMark", from, from + 2)];
  const inside = line.baseIndent;
  let to = context.lineStart + line.text.trimEnd().length;
  let closed = closesItself(first);
  let closing = context.lineStart + line.text.lastIndexOf("$$");
  while (context.nextLine() && !closed && line.baseIndent >= inside && line.text.slice(line.pos).trim() !== "") {
    marks.push(...line.markers);
    to = context.lineStart + line.text.trimEnd().length;
    closed = line.text.replace(EQUATION_LABEL, "").trimEnd().endsWith("$$");
    closing = context.lineStart + line.text.lastIndexOf("$$");
  }
  if (closed) marks.push(context.elt("MathMark", closing, closing + 2));
  context.addElement(context.elt("BlockMath", from, to, marks));
  return true;
}

const FIELD = /^[\w"'][^:]*:(?:\s|$)/;
const YAML_LINE = /^(?:\s|#|-|$|[\]}])/;

/** YAML between lines of three dashes at the very top. A line that can be no YAML ends it, closed or not. */
function frontMatter(context: BlockContext, line: Line): boolean {
  if (context.lineStart !== 0 || !/^---\s*$/.test(line.text) || !FIELD.test(context.peekLine())) return false;
  let to = line.text.length;
  const marks: Element[] = [];
  while (context.nextLine()) {
    const closes = /^(?:---|\.\.\.)\s*$/.test(line.text);
    if (!closes && !FIELD.test(line.text) && !YAML_LINE.test(line.text)) break;
    to = context.lineStart + line.text.length;
    if (!closes) continue;
    marks.push(context.elt("FrontMatterMark", context.lineStart, to));
    context.nextLine();
    break;
  }
  context.addElement(context.elt("FrontMatter", 0, to, marks));
  return true;
}

const DEFINITION = /^\[\^[^\]\s]+\]:/;

function startsDefinition(line: Line): boolean {
  return line.next === OPEN && line.indent < line.baseIndent + 4 && DEFINITION.test(line.text.slice(line.pos));
}

/** A footnote's text: the lines up to the next blank one or the next footnote. */
function footnote(context: BlockContext, line: Line): boolean {
  if (context.depth > 1 || !startsDefinition(line)) return false;
  const from = context.lineStart + line.pos;
  const text = [line.text.slice(line.pos)];
  const label = DEFINITION.exec(text[0] ?? "")?.[0].length ?? 0;
  while (context.nextLine() && line.text.trim() !== "" && !startsDefinition(line)) text.push(line.text);
  const source = text.join("\n");
  const inline = context.parser.parseInline(source.slice(label), from + label);
  const marks = [context.elt("FootnoteMark", from, from + 2), context.elt("FootnoteLabel", from + 2, from + label - 2), context.elt("FootnoteMark", from + label - 2, from + label)];
  context.addElement(context.elt("FootnoteDefinition", from, from + source.length, [...marks, ...inline]));
  return true;
}

function footnoteReference(context: InlineContext, next: number, at: number): number {
  if (next !== OPEN) return -1;
  const found = /^\[\^([^\]\s]+)\]/.exec(context.slice(at, Math.min(context.end, at + 200)));
  if (!found) return -1;
  const end = at + found[0].length;
  const parts = [context.elt("FootnoteMark", at, at + 2), context.elt("FootnoteLabel", at + 2, end - 1), context.elt("FootnoteMark", end - 1, end)];
  return context.addElement(context.elt("FootnoteReference", at, end, parts));
}

function plainBracket(context: InlineContext, next: number, at: number): number {
  return (next === OPEN || next === CLOSE) && context.end - context.offset > LINKS_UP_TO ? at + 1 : -1;
}

function wikiLink(context: InlineContext, next: number, at: number): number {
  return next === OPEN && context.char(at + 1) === OPEN ? named(context, "WikiLink", at) : -1;
}

const HIGHLIGHT = { resolve: "Highlight", mark: "HighlightMark" };
const EQUALS = 61;

/** `==words==`, as a pen marks them. */
function highlight(context: InlineContext, next: number, at: number): number {
  if (next !== EQUALS || context.char(at + 1) !== EQUALS || context.char(at + 2) === EQUALS || context.char(at - 1) === EQUALS) return -1;
  return context.addDelimiter(HIGHLIGHT, at, at + 2, !isSpace(context.char(at + 2)), at > context.offset && !isSpace(context.char(at - 1)));
}

const HASH = 35;
const TAG = /^#(?=[\p{N}_/-]*\p{L})[\p{L}\p{N}_/-]+/u;

/** `#tag`: a word with a letter in it, behind a blank or a bracket. */
function tag(context: InlineContext, next: number, at: number): number {
  if (next !== HASH || (at > context.offset && !/[\s(,;"']/.test(context.slice(at - 1, at)))) return -1;
  const found = TAG.exec(context.slice(at, Math.min(context.end, at + 100)));
  return found ? context.addElement(context.elt("Tag", at, at + found[0].length)) : -1;
}

/** What a note shows of another file: `![[name]]`. */
function embed(context: InlineContext, next: number, at: number): number {
  return next === EXCLAMATION && context.char(at + 1) === OPEN && context.char(at + 2) === OPEN ? named(context, "Embed", at) : -1;
}

function named(context: InlineContext, kind: "WikiLink" | "Embed", at: number): number {
  const found = /^!?\[\[([^[\]|\n]+)(?:\|([^[\]|\n]+))?\]\]/.exec(context.slice(at, Math.min(context.end, at + 400)));
  if (!found?.[1]) return -1;
  const end = at + found[0].length;
  const shown = end - 2 - (found[2] ?? found[1]).length;
  const parts = [context.elt("WikiMark", at, shown), context.elt("WikiText", shown, end - 2), context.elt("WikiMark", end - 2, end)];
  return context.addElement(context.elt(kind, at, end, parts));
}

/** The extensions that a Markdown parser needs for everything that `rendered` can show. */
export const renderedSyntax: MarkdownConfig = {
  defineNodes: [
    { name: "InlineMath", style: tags.special(tags.string) },
    { name: "BlockMath", block: true, style: tags.special(tags.string) },
    { name: "MathMark", style: tags.processingInstruction },
    { name: "FrontMatter", block: true, style: tags.meta },
    { name: "FrontMatterMark", style: tags.processingInstruction },
    { name: "FootnoteDefinition", block: true },
    "FootnoteReference",
    { name: "FootnoteLabel", style: tags.labelName },
    { name: "FootnoteMark", style: tags.processingInstruction },
    { name: "WikiLink", style: { "WikiLink/...": tags.link } },
    { name: "Embed", style: { "Embed/...": tags.link } },
    "WikiText",
    { name: "WikiMark", style: tags.processingInstruction },
    "Highlight",
    { name: "HighlightMark", style: tags.processingInstruction },
    "Tag",
  ],
  parseInline: [
    { name: "InlineMath", before: "Emphasis", parse: inlineMath },
    { name: "PlainBracket", before: "Link", parse: plainBracket },
    { name: "FootnoteReference", before: "Link", parse: footnoteReference },
    { name: "WikiLink", before: "Link", parse: wikiLink },
    { name: "Embed", before: "Image", parse: embed },
    { name: "Highlight", after: "Emphasis", parse: highlight },
    { name: "Tag", before: "Link", parse: tag },
  ],
  parseBlock: [
    { name: "FrontMatter", before: "HorizontalRule", parse: frontMatter },
    { name: "BlockMath", before: "FencedCode", parse: blockMath, endLeaf: (_, line) => line.text.startsWith("$$", line.pos) },
    { name: "FootnoteDefinition", before: "LinkReference", parse: footnote, endLeaf: (_, line) => startsDefinition(line) },
  ],
};
