/**
 * From Markdown to HTML, for one segment of a text. HTML in the text stays text, but for a few harmless tags and pictures;
 * these become links or their description. What comes out still passes the sanitiser.
 */
import { Lexer, type Links, Marked, Parser, type TokenizerAndRendererExtension, type Tokens } from "marked";
import { decoded, type Target, targetOf } from "./targets";

/** What link labels stand for, by the label in lower case. */
export type Definitions = Links;

export interface Rendered {
  html: string;
  /** All definitions that hold: the ones known before and the segment's own. */
  definitions: Definitions;
}

/** Renders one segment, knowing what other segments defined. The first definition of a label wins. */
export function renderSegment(source: string, known: Definitions): Rendered {
  if (isHostile(source)) return { html: `<p>${escape(source)}</p>`, definitions: known };
  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, known);
  const tokens = lexer.lex(source);
  return { html: Parser.parse(tokens, marked.defaults), definitions: tokens.links };
}

/** More marks in one paragraph, and more nesting in one line, than any person writes. They cost the square of their number. */
const MAX_MARKS = 4000;
const TOO_DEEP = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){50}/m;

/** Whether a segment is made to keep a parser busy. Such a one is shown as plain text. */
function isHostile(source: string): boolean {
  if (source.length < MAX_MARKS / 40 || /^(?:```|~~~)/.test(source)) return false;
  const paragraphs = source.length < MAX_MARKS ? [] : source.split(/\n[ \t]*\n/);
  return TOO_DEEP.test(source) || paragraphs.some((one) => (one.match(/[*_~<[$\\!`&]/g)?.length ?? 0) > MAX_MARKS);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

const INLINE_MATH = [
  { rule: /^\$\$((?:\\[\s\S]|[^\\$])+)\$\$/, display: true },
  { rule: /^\$(?![\s$])((?:\\[\s\S]|[^\\$])*?[^\s\\$]|(?:\\[\s\S]|[^\\$])*?\\\S)\$(?!\d)/, display: false },
  { rule: /^\\\(([\s\S]+?)\\\)/, display: false },
  { rule: /^\\\[([\s\S]+?)\\\]/, display: true },
];
const BLOCK_MATH = /^ {0,3}(?:\$\$((?:\\[^\n]|[^\\$])+)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
const HARMLESS = /^<(sub|sup|kbd|mark|u)>([^<]{1,200})<\/\1>/i;

const inlineMath: TokenizerAndRendererExtension = {
  name: "inlineMath",
  level: "inline",
  start: (source) => source.search(/\$|\\[([]/),
  tokenizer(source) {
    for (const { rule, display } of INLINE_MATH) {
      const found = rule.exec(source);
      if (found?.[1]) return { type: "inlineMath", raw: found[0], text: found[1].trim(), display };
    }
    return undefined;
  },
  renderer: ({ text, display }) => `<span data-math="${display ? "display" : "inline"}">${escape(String(text))}</span>`,
};

const blockMath: TokenizerAndRendererExtension = {
  name: "blockMath",
  level: "block",
  start(source) {
    const [paragraph = ""] = source.split(/\n[ \t]*\n/, 1);
    const at = paragraph.search(/\n {0,3}(?:\$\$|\\\[)/);
    return at < 0 ? undefined : at + 1;
  },
  tokenizer(source) {
    const found = BLOCK_MATH.exec(source);
    const text = found?.[1] ?? found?.[2];
    if (!found || !text || /\n[ \t]*\n/.test(text)) return undefined;
    return { type: "blockMath", raw: found[0], text: text.trim() };
  },
  renderer: ({ text }) => `<div data-math="display">${escape(String(text))}</div>`,
};

const harmlessTag: TokenizerAndRendererExtension = {
  name: "harmlessTag",
  level: "inline",
  start: (source) => source.search(/<(?:br|su[bp]|kbd|mark|u)\b/i),
  tokenizer(source) {
    const line = /^<br ?\/?>/i.exec(source);
    if (line) return { type: "harmlessTag", raw: line[0], tag: "br", tokens: [] };
    const [raw, tag = "", text = ""] = HARMLESS.exec(source) ?? [];
    if (!raw) return undefined;
    return { type: "harmlessTag", raw, tag: tag.toLowerCase(), tokens: this.lexer.inlineTokens(text) };
  },
  renderer({ tag, tokens }) {
    return tag === "br" ? "<br>" : `<${String(tag)}>${this.parser.parseInline(tokens ?? [])}</${String(tag)}>`;
  },
};

/** Links may not hold links: a picture inside one is only described. */
let linkDepth = 0;

function anchor(address: string, inner: string): string {
  const target = targetOf(address);
  if (!target) return inner;
  if (target.kind === "file") return `<span data-path="${escape(target.path)}">${inner}</span>`;
  return `<a href="${escape(target.href)}" title="${escape(target.host)}">${inner}</a>`;
}

/** A picture whose bytes stand in the text. */
const ATTACHED = "attachment:";
const WRITTEN_OUT = /^data:image\/(?:png|jpeg|gif|webp);/i;

/** Where the bytes of a picture are, if whoever shows the text may have them: in a file, a notebook's cell, or the text. */
function bytesAt(address: string, target: Target | null): string | undefined {
  if (address.startsWith(ATTACHED)) return decoded(address);
  if (target?.kind === "file") return target.path;
  return WRITTEN_OUT.test(address) ? address : undefined;
}

/** What is said of where a picture is. */
function placeOf(address: string, target: Target | null): string | undefined {
  return target && target.kind !== "file" ? target.host : WRITTEN_OUT.test(address) ? undefined : bytesAt(address, target);
}

function picture(address: string, description: string, width = ""): string {
  const target = targetOf(address);
  const shown = bytesAt(address, target);
  const place = placeOf(address, target);
  const inner = escape([description.trim() || "Picture", place ? `(${place})` : ""].join(" ").trim());
  const words = linkDepth > 0 ? inner : anchor(address, inner);
  // Whoever can show it puts it in the place of the words.
  return shown !== undefined ? `<span data-picture="${escape(shown)}" title="${escape(description.trim())}"${width ? ` data-width="${width}"` : ""}>${words}</span>` : words;
}

/** A picture in HTML, as notebooks and READMEs have them: what it says of its address, itself and its width counts, and nothing else. */
const IMAGE = /^<img(?=[\s/])((?:[^<>"']|"[^"]*"|'[^']*')*)>/i;
/** Names are short, and begin where one can: a text without end has no place to be looked through again and again. */
const ATTRIBUTE = /(?<![^\s"'/])([a-z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const WIDTH = /^[1-9]\d{0,3}(?:px)?$/;

/** What a tag says of itself; the first one of a name counts. */
function attributesIn(inside: string): Partial<Record<string, string>> {
  const told = [...inside.matchAll(ATTRIBUTE)].map(([, name = "", double, single, bare = ""]) => [name.toLowerCase(), (double ?? single ?? bare).replace(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => ENTITIES[entity] ?? "")] as const);
  return Object.fromEntries(told.reverse());
}

const imageTag: TokenizerAndRendererExtension = {
  name: "imageTag",
  level: "inline",
  start: (source) => source.search(/<img[\s/]/i),
  tokenizer(source) {
    const [raw, inside = ""] = IMAGE.exec(source) ?? [];
    if (!raw) return undefined;
    const { src = "", alt = "", width = "" } = attributesIn(inside);
    return src ? { type: "imageTag", raw, address: src, description: alt, width } : undefined;
  },
  renderer: ({ address, description, width }) => picture(String(address), String(description), WIDTH.test(String(width)) ? String(parseInt(String(width), 10)) : ""),
};

const marked = new Marked({
  gfm: true,
  extensions: [blockMath, inlineMath, harmlessTag, imageTag],
  tokenizer: {
    html: () => undefined,
    tag: () => undefined,
    /** A title that spans a blank line would reach over the end of a segment, and is none. */
    def(source) {
      const found = this.rules.block.def.exec(source);
      return found && /\n[ \t]*\n/.test(found[0].trimEnd()) ? undefined : false;
    },
  },
  renderer: {
    code({ text, lang }: Tokens.Code) {
      const [language = ""] = /[\w+#.-]+/.exec(lang ?? "") ?? [];
      return `<pre data-language="${escape(language)}"><code>${escape(text.replace(/\n+$/, ""))}</code></pre>\n`;
    },
    link({ href, tokens, text, autolink }: Tokens.Link) {
      linkDepth += 1;
      try {
        return anchor(href, autolink ? escape(text) : this.parser.parseInline(tokens));
      } finally {
        linkDepth -= 1;
      }
    },
    image: ({ href, text }: Tokens.Image) => picture(href, text),
    checkbox: ({ checked }: Tokens.Checkbox) => `<span data-task="${checked ? "done" : "open"}"></span> `,
    tablecell(token: Tokens.TableCell) {
      const tag = token.header ? "th" : "td";
      const align = token.align ? ` data-align="${token.align}"` : "";
      return `<${tag}${align}>${this.parser.parseInline(token.tokens)}</${tag}>\n`;
    },
  },
});
