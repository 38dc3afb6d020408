/** Colours code with the parsers of the editor. The text stays as it is; only spans come around its words. */
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

type Tree = Parameters<typeof highlightCode>[1];

/** A parser of some language, as the editor's languages have one. */
export interface CodeParser {
  parse(text: string): Tree;
}

/** Above this many characters code stays plain: parsing it would be felt. */
export const PLAIN_ABOVE = 50_000;

const classes = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword], class: "syntax-keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], class: "syntax-string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: "syntax-number" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.function(tags.definition(tags.variableName)), tags.macroName], class: "syntax-function" },
  { tag: [tags.definition(tags.propertyName), tags.attributeName], class: "syntax-function" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName, tags.self], class: "syntax-type" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.docComment, tags.meta, tags.annotation], class: "syntax-comment" },
  { tag: tags.inserted, class: "syntax-inserted" },
  { tag: tags.deleted, class: "syntax-deleted" },
]);

/** Colours one code element. */
export function colour(code: Element, parser: CodeParser): void {
  const text = code.textContent;
  const parts: Node[] = [];
  highlightCode(text, parser.parse(text), classes, (piece, names) => parts.push(coloured(piece, names)), () => parts.push(document.createTextNode("\n")));
  code.replaceChildren(...parts);
  code.normalize();
}

function coloured(piece: string, names: string): Node {
  if (!names) return document.createTextNode(piece);
  const span = document.createElement("span");
  span.className = names;
  span.textContent = piece;
  return span;
}
