/** How marks inside a line are drawn: emphasis, code, links, pictures, formulas, footnotes. */
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { Decoration } from "@codemirror/view";
import { EmbeddedNote } from "./embedded";
import { noteNameOf, type NoteShown, renderedOptions } from "./options";
import type { Sheet } from "./sheet";
import type { Visit } from "./visit";
import { Formula, Label, Picture } from "./widgets";

const code = Decoration.mark({ class: "cm-inline-code" });
const link = Decoration.mark({ class: "cm-link" });
/** A link to a note that is not there yet. */
const missing = Decoration.mark({ class: "cm-link cm-link-missing" });
const html = Decoration.mark({ class: "cm-html-tag" });
const formulaSource = Decoration.mark({ class: "cm-math-source" });
const highlighted = Decoration.mark({ tagName: "mark", class: "cm-highlighted" });
const tag = Decoration.mark({ class: "cm-tag" });
const lowered = Decoration.mark({ tagName: "sub", class: "cm-lowered" });
const raised = Decoration.mark({ tagName: "sup", class: "cm-raised" });

/** Hides the marks of a kind around a node, unless the cursor is at it. */
function hideMarks(node: SyntaxNode, sheet: Sheet, mark: string): void {
  if (sheet.touches(node.from, node.to)) return;
  for (const child of node.getChildren(mark)) sheet.hide(child.from, child.to);
}

function marked(mark: string, look?: Decoration): Visit {
  return ({ node }, sheet) => {
    hideMarks(node, sheet, mark);
    if (look) sheet.mark(node.from, node.to, look);
    return true;
  };
}

function visitCode({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const [open, close] = node.getChildren("CodeMark");
  hideMarks(node, sheet, "CodeMark");
  if (open && close) sheet.mark(open.to, close.from, code);
  return false;
}

function addressIn(sheet: Sheet, url: SyntaxNode): string {
  return sheet.state.sliceDoc(url.from, url.to).replace(/^<|>$/g, "");
}

/** A link with its address, or one that names a definition. Only brackets, as in [sic], are left alone. */
function visitLink({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const [open, close] = node.getChildren("LinkMark");
  const url = node.getChild("URL");
  if (!open || !close || !(url ?? node.getChild("LinkLabel"))) return true;
  const options = sheet.state.facet(renderedOptions);
  const target = url ? options.targetOf(addressIn(sheet, url)) : null;
  sheet.mark(open.to, close.from, target?.kind === "file" && options.isMissing(target) ? missing : link);
  if (sheet.touches(node.from, node.to) || open.to === close.from) return true;
  sheet.hide(open.from, open.to);
  sheet.hide(close.from, node.to);
  return true;
}

/** A picture of the workspace is shown, one from elsewhere only named: nothing is loaded from other computers. */
function visitImage({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const [open, close] = node.getChildren("LinkMark");
  const url = node.getChild("URL");
  if (!open || !close || !url || sheet.touches(node.from, node.to)) return false;
  const options = sheet.state.facet(renderedOptions);
  const description = sheet.state.sliceDoc(open.to, close.from);
  const target = options.targetOf(addressIn(sheet, url));
  if (target?.kind === "file") {
    const address = options.pictureAt(target.path);
    if (address !== null) sheet.replace(node.from, node.to, new Picture(address, target.path, description));
  } else if (target?.kind === "web") sheet.replace(node.from, node.to, new Label("cm-link cm-picture-away", `${description || "Picture"} (${target.host})`));
  return false;
}

/** Addresses that stand for themselves. Those inside links and pictures belong to them. */
function visitUrl({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  if (node.parent && !/^(?:Link|Image|LinkReference|Autolink)$/.test(node.parent.name)) sheet.mark(node.from, node.to, link);
  return false;
}

function visitAutolink({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  hideMarks(node, sheet, "LinkMark");
  sheet.mark(node.from + 1, node.to - 1, link);
  return false;
}

function visitEscape({ from, to }: SyntaxNodeRef, sheet: Sheet): boolean {
  if (!sheet.touches(from, to)) sheet.hide(from, from + 1);
  return false;
}

function visitFormula({ from, to }: SyntaxNodeRef, sheet: Sheet): boolean {
  if (sheet.touches(from, to) || sheet.state.doc.lineAt(from).to < to) sheet.mark(from, to, formulaSource);
  else sheet.replace(from, to, new Formula(sheet.state.sliceDoc(from + 1, to - 1), false));
  return false;
}

function visitFootnote({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const label = node.getChild("FootnoteLabel");
  hideMarks(node, sheet, "FootnoteMark");
  if (!label || sheet.touches(node.from, node.to)) return false;
  const name = sheet.state.sliceDoc(label.from, label.to);
  const attributes = { role: "doc-noteref", "aria-label": `Footnote ${name}` };
  sheet.mark(label.from, label.to, Decoration.mark({ tagName: "sup", class: "cm-footnote-reference", attributes }));
  return false;
}

function visitWiki({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const text = node.getChild("WikiText");
  hideMarks(node, sheet, "WikiMark");
  const name = noteNameOf(sheet.state.sliceDoc(node.from, node.to));
  if (text) sheet.mark(text.from, text.to, sheet.state.facet(renderedOptions).isMissing({ name }) ? missing : link);
  return false;
}

/** A picture shows, as wide as the text says; another file is a link. */
function visitEmbed(ref: SyntaxNodeRef, sheet: Sheet): boolean {
  const { from, to } = ref;
  if (sheet.touches(from, to)) return visitWiki(ref, sheet);
  const [name = "", shown = ""] = sheet.state.sliceDoc(from + 3, to - 2).split("|").map((part) => part.trim());
  const options = sheet.state.facet(renderedOptions);
  const found = options.pictureNamed(name);
  if (found === null) return visitNoteShown(ref, sheet, name, options.noteShown(name));
  const width = /^(\d{1,5})(?:x\d{1,5})?$/.exec(shown)?.[1];
  if (found === "looking") sheet.replace(from, to, new Label("cm-link", name));
  else if (found === "missing") sheet.replace(from, to, new Label("cm-picture-missing", `${name} (there is no picture of this name)`));
  else sheet.replace(from, to, new Picture(found.address, found.path, width ? name : shown || name, width ? Number(width) : null));
  return false;
}

/** A note that stands alone in its line shows its text there; one among words is a link. */
function visitNoteShown(ref: SyntaxNodeRef, sheet: Sheet, name: string, note: NoteShown): boolean {
  const { from, to } = ref;
  const line = sheet.state.doc.lineAt(from);
  if (note === "looking" || line.text.trim().length !== to - from) return visitWiki(ref, sheet);
  if (note === "missing") sheet.replace(from, to, new Label("cm-picture-missing", `${name} (there is no such note or heading)`));
  else sheet.replace(from, to, new EmbeddedNote(name, note.path, note.text));
  return false;
}

function visitHashTag({ from, to }: SyntaxNodeRef, sheet: Sheet): boolean {
  sheet.mark(from, to, tag);
  return false;
}

function visitTag({ from, to }: SyntaxNodeRef, sheet: Sheet): boolean {
  sheet.mark(from, to, html);
  return false;
}

export const spans: Readonly<Record<string, Visit>> = {
  Emphasis: marked("EmphasisMark"),
  StrongEmphasis: marked("EmphasisMark"),
  Strikethrough: marked("StrikethroughMark"),
  Subscript: marked("SubscriptMark", lowered),
  Superscript: marked("SuperscriptMark", raised),
  InlineCode: visitCode,
  Link: visitLink,
  Image: visitImage,
  URL: visitUrl,
  Autolink: visitAutolink,
  Escape: visitEscape,
  InlineMath: visitFormula,
  FootnoteReference: visitFootnote,
  WikiLink: visitWiki,
  Embed: visitEmbed,
  Highlight: marked("HighlightMark", highlighted),
  Tag: visitHashTag,
  HTMLTag: visitTag,
  Comment: visitTag,
  ProcessingInstruction: visitTag,
};
