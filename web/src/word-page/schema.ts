/**
 * What a page of a Word document can hold. A paragraph's letters are those the server counts: what a tracked change took
 * away shows and counts nothing, and what is no text counts as the few letters that stand for it.
 */
import { type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec, Schema } from "prosemirror-model";

const HEX = /^[0-9a-f]{6}$/;

/** An item of a list stays one where it is pasted. */
function listed(element: HTMLElement): { list?: string; marker?: string } {
  const list = element.closest("li")?.closest("ul, ol");
  if (!list) return {};
  return list.tagName === "OL" ? { list: "number", marker: "1." } : { list: "bullet", marker: "•" };
}

const paragraph: NodeSpec = {
  group: "block",
  content: "inline*",
  marks: "text",
  attrs: {
    number: { default: 0 }, cut: { default: 0 }, locked: { default: false }, style: { default: "" }, heading: { default: 0 }, marker: { default: "" }, level: { default: 0 },
    list: { default: "" }, align: { default: "" }, indent: { default: 0 }, change: { default: "" }, end: { default: "" }, formatChange: { default: "" },
  },
  parseDOM: [
    { tag: "p", getAttrs: listed },
    { tag: "li", getAttrs: (element) => (element.querySelector(":scope > p") ? false : listed(element)) },
    ...[1, 2, 3, 4, 5, 6].map((heading) => ({ tag: `h${String(heading)}`, attrs: { heading } })),
  ],
  toDOM(node): DOMOutputSpec {
    const { heading, style, marker, level, align, indent, change, end, formatChange } = node.attrs as Record<string, string | number>;
    return [heading ? `h${String(heading)}` : "p", {
      "data-style": style || null,
      "data-marker": marker || null,
      "data-end": end || null,
      "data-change": change || formatChange || null,
      "data-format": formatChange ? "" : null,
      contenteditable: node.attrs.locked ? "false" : null,
      style: styleText({ "text-align": String(align), "padding-inline-start": marker ? `${String(Number(level) * 1.6 + 1.8)}em` : indent ? `${String(indent)}pt` : "" }) || null,
    }, 0];
  },
};

const nodes: Record<string, NodeSpec> = {
  doc: { content: "block+", marks: "sheet" },
  paragraph,
  table: { group: "block", content: "row+", isolating: true, toDOM: () => ["div", { class: "word-table" }, ["table", ["tbody", 0]]], parseDOM: [{ tag: "table" }] },
  row: {
    content: "cell+",
    attrs: { change: { default: "" }, what: { default: "" }, head: { default: false } },
    toDOM: (node) => ["tr", { "data-what": (node.attrs.what as string) || null, "data-change": (node.attrs.change as string) || null, "data-head": node.attrs.head ? "" : null }, 0],
    parseDOM: [{ tag: "tr" }],
  },
  cell: {
    content: "block+",
    isolating: true,
    attrs: { columns: { default: 1 }, rows: { default: 1 } },
    toDOM: (node) => ["td", { colspan: String(node.attrs.columns), rowspan: String(node.attrs.rows) }, 0],
    parseDOM: [{ tag: "td" }, { tag: "th" }],
  },
  text: { group: "inline" },
  /** What a tracked change took away. */
  deleted: {
    group: "inline",
    inline: true,
    atom: true,
    selectable: false,
    attrs: { text: { default: "" }, change: { default: "" } },
    toDOM: (node) => ["del", { class: "word-deleted", "data-change": node.attrs.change as string }, node.attrs.text as string],
    leafText: () => "",
  },
  /** What is no text: it stays as it is, or goes as a whole. */
  thing: {
    group: "inline",
    inline: true,
    atom: true,
    attrs: { kind: { default: "kept" }, text: { default: "" }, source: { default: "" }, width: { default: 0 }, height: { default: 0 }, why: { default: "" } },
    toDOM: thingElement,
    parseDOM: [{ tag: "br", attrs: { kind: "break", text: "<br>" } }],
    leafText: (node) => node.attrs.text as string,
  },
};

function thingElement(node: Node): DOMOutputSpec {
  const { kind, text, source, width, height, why } = node.attrs as { kind: string; text: string; source: string; width: number; height: number; why: string };
  if (kind === "break") return ["br"];
  if (kind === "pageBreak") return ["span", { class: "word-page-break", title: "Page break" }];
  if (kind === "picture") return pictureElement(text, source, width, height);
  if (kind === "note") return ["sup", { class: "word-note-mark" }, /^\[\^e?(.*)\]$/.exec(text)?.[1] ?? text];
  return ["span", { class: `word-thing word-${kind}`, title: why || "Word makes this text. It is kept as it is." }, kind === "formula" ? text.replace(/^\$|\$$/g, "") : text];
}

function pictureElement(text: string, source: string, width: number, height: number): DOMOutputSpec {
  const alt = /^!\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (!source) return ["span", { class: "word-thing", title: "This drawing is kept as it is." }, alt];
  const size = width > 0 && height > 0 ? { width: String(width), height: String(height) } : {};
  return ["img", { class: "word-picture", src: source, alt, loading: "lazy", ...size }];
}

function toggle(tag: string, off: string): MarkSpec {
  return {
    attrs: { on: { default: true } },
    parseDOM: tag === "strong" ? [{ tag: "b" }, { tag }] : tag === "em" ? [{ tag: "i" }, { tag }] : [{ tag }],
    toDOM: (mark) => (mark.attrs.on ? [tag, 0] : ["span", { style: off }, 0]),
  };
}

const marks: Record<string, MarkSpec> = {
  comment: { attrs: { id: {} }, excludes: "", inclusive: false, toDOM: (mark) => ["span", { class: "word-comment", "data-comment": mark.attrs.id as string }, 0] },
  inserted: { attrs: { change: {} }, inclusive: false, toDOM: (mark) => ["ins", { class: "word-inserted", "data-change": mark.attrs.change as string }, 0] },
  format: { attrs: { change: {} }, inclusive: false, toDOM: (mark) => ["span", { class: "word-format", "data-change": mark.attrs.change as string }, 0] },
  link: { attrs: { href: { default: "" } }, inclusive: false, toDOM: (mark) => ["span", { class: "word-link", title: mark.attrs.href as string, "data-href": mark.attrs.href as string }, 0] },
  look: {
    attrs: { colour: { default: "" }, highlight: { default: "" }, size: { default: 0 }, style: { default: "" } },
    toDOM: (mark) => ["span", { "data-run-style": (mark.attrs.style as string) || null, style: lookText(mark.attrs as Look) || null }, 0],
  },
  bold: toggle("strong", "font-weight: 400"),
  italic: toggle("em", "font-style: normal"),
  underline: { ...toggle("u", "text-decoration: none"), parseDOM: [{ tag: "u" }] },
  strike: toggle("s", "text-decoration: none"),
  script: { attrs: { kind: { default: "super" } }, parseDOM: [{ tag: "sup", attrs: { kind: "super" } }, { tag: "sub", attrs: { kind: "sub" } }], toDOM: (mark) => [mark.attrs.kind === "sub" ? "sub" : "sup", 0] },
};

interface Look {
  colour: string;
  highlight: string;
  size: number;
}

/** Colours of a document are made for white paper: on a dark page they are lightened. */
export function lookText({ colour, highlight, size }: Look): string {
  return styleText({
    color: HEX.test(colour) ? inkOf(colour) : "",
    "background-color": HEX.test(highlight) ? `light-dark(#${highlight}, color-mix(in oklab, #${highlight} 35%, transparent))` : "",
    "font-size": size > 0 ? `${String(size / 11)}em` : "",
  });
}

export function inkOf(colour: string): string {
  // Black is the page's own ink, whatever that is; other colours are mixed with it on a dark page.
  const isBlack = /^([0-3][0-9a-f]){3}$/.test(colour);
  return isBlack ? "var(--color-text)" : `light-dark(#${colour}, color-mix(in oklab, #${colour} 35%, var(--color-text)))`;
}

function styleText(rules: Record<string, string>): string {
  return Object.entries(rules).filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`).join("; ");
}

const inText = Object.fromEntries(Object.entries(marks).map(([name, mark]) => [name, { ...mark, group: "text" }]));
const sheet: MarkSpec = { attrs: { id: {} }, toDOM: () => ["div", { class: "word-sheet" }, 0] };

export const schema = new Schema({ nodes, marks: { ...inText, sheet } });

/** The letters of a paragraph, as the server counts them. */
export function lettersOf(node: Node): string {
  return node.textBetween(0, node.content.size, "", (leaf) => (leaf.type.spec.leafText?.(leaf) ?? ""));
}
