/** How text looks in the viewer: set like a printed listing, or like a page of prose. Colours come from the tokens. */
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword], color: "var(--color-syntax-keyword)", fontWeight: "700" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: "var(--color-syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: "var(--color-syntax-number)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.function(tags.definition(tags.variableName)), tags.macroName], color: "var(--color-syntax-function)" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName, tags.self], color: "var(--color-syntax-type)" },
  { tag: [tags.definition(tags.propertyName), tags.attributeName], color: "var(--color-syntax-function)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.docComment], color: "var(--color-syntax-comment)", fontStyle: "italic" },
  { tag: [tags.meta, tags.annotation], color: "var(--color-syntax-comment)" },
  { tag: tags.inserted, color: "var(--color-inserted-sign)" },
  { tag: tags.deleted, color: "var(--color-deleted-sign)" },
  { tag: tags.heading1, fontSize: "var(--text-heading-1)", lineHeight: "var(--leading-tight)", fontWeight: "var(--weight-strong)", letterSpacing: "var(--tracking-display)" },
  { tag: tags.heading2, fontSize: "var(--text-heading-2)", lineHeight: "1.3", fontWeight: "var(--weight-strong)" },
  { tag: tags.heading3, fontSize: "var(--text-heading-3)", fontWeight: "var(--weight-strong)" },
  { tag: tags.heading, fontWeight: "var(--weight-strong)" },
  { tag: tags.strong, fontWeight: "var(--weight-strong)" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.link, textDecoration: "underline 1px var(--color-link-underline)", textUnderlineOffset: ".18em" },
  { tag: tags.url, color: "var(--color-text-secondary)" },
  { tag: tags.monospace, fontFamily: "var(--font-code)", fontVariantLigatures: "none", fontSize: ".86em" },
  { tag: tags.quote, color: "var(--color-text-secondary)" },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: "var(--color-text-tertiary)", fontWeight: "var(--weight-regular)" },
]);

const shared = EditorView.theme({
  "&": { height: "100%", color: "var(--color-text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { overflow: "auto" },
  ".cm-content": { caretColor: "var(--color-caret)", padding: "var(--space-12) 0 var(--space-56)" },
  ".cm-cursor": { borderLeftColor: "var(--color-caret)", borderLeftWidth: "2px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--color-text-selection)" },
  ".cm-panels": { backgroundColor: "var(--color-surface-page)", color: "var(--color-text)", zIndex: "var(--layer-mark)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--color-rule)" },
  ".cm-selectionMatch": { backgroundColor: "var(--color-surface-pressed)", borderRadius: "2px" },
  ".cm-searchMatch": { backgroundColor: "var(--color-text-selection)", borderRadius: "2px" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--color-ink)", backgroundColor: "var(--color-text-selection)" },
});

/** What a screen reader is told of a search. */
export const phrases = {
  "current match": "Match",
  "replaced match on line $": "Replaced on line $",
  "replaced $ matches": "Replaced $ matches",
  "on line": "on line",
};

export const codeLook = [
  shared,
  EditorView.editorAttributes.of({ class: "cm-code" }),
  EditorView.theme({
    ".cm-scroller": { font: "var(--text-code)/var(--leading-code) var(--font-code)", fontVariantLigatures: "none", letterSpacing: "0" },
    ".cm-gutters": { backgroundColor: "var(--color-surface-page)", color: "var(--color-text-tertiary)", border: "none", paddingInlineStart: "var(--space-8)" },
    // The sign that folds stands clear of the code.
    ".cm-foldGutter .cm-gutterElement": { paddingInlineEnd: "var(--space-8)" },
    ".cm-gutters:has(.cm-foldGutter) .cm-lineNumbers .cm-gutterElement": { paddingInlineEnd: "var(--space-4)" },
    ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.5rem", padding: "0 var(--space-16) 0 0", fontVariantNumeric: "tabular-nums" },
    ".cm-line": { padding: "0 var(--space-24) 0 0" },
  }),
];

export const proseLook = [
  shared,
  EditorView.lineWrapping,
  EditorView.theme({
    ".cm-scroller": { font: "var(--weight-regular) var(--text-document)/var(--leading-document) var(--font-reading)", letterSpacing: "0" },
    ".cm-content": { width: "min(var(--measure-document), 100% - 2 * var(--document-margin))", margin: "0 auto", flexGrow: "0", flexShrink: "1" },
    ".cm-code-line": { fontFamily: "var(--font-code)", fontSize: "var(--text-code)", fontVariantLigatures: "none" },
    ".cm-line": { padding: "0" },
  }),
];
