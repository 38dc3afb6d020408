/** Links, footnotes and wiki links: what they say under the pointer, and what a click with the command key opens. */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { EditorView, hoverTooltip, repositionTooltips, type Tooltip, type TooltipView } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { noteNameOf, renderedOptions } from "./options";

type Found = { node: SyntaxNode } & ({ kind: "address"; address: string } | { kind: "note"; name: string } | { kind: "footnote"; label: string } | { kind: "tag"; tag: string });

/** How long the parser may take, in milliseconds, to reach a definition further down. */
const PATIENCE_MS = 100;

function textOf(state: EditorState, node: SyntaxNode | null): string {
  return node ? state.sliceDoc(node.from, node.to) : "";
}

function plain(label: string): string {
  return label.replace(/^\[|\]$/g, "").trim().replace(/\s+/g, " ").toLowerCase();
}

/** The first definition of a kind whose label is the one asked for. */
function definition(state: EditorState, kind: string, part: string, label: string): SyntaxNode | null {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS) ?? syntaxTree(state);
  let found: SyntaxNode | null = null;
  tree.iterate({
    enter: ({ name, node }) => {
      if (found) return false;
      if (name === kind && plain(textOf(state, node.getChild(part))) === plain(label)) found = node;
      return name === "Document";
    },
  });
  return found;
}

function addressOf(state: EditorState, node: SyntaxNode): string {
  const own = node.name === "URL" ? node : node.getChild("URL");
  if (own) return textOf(state, own).replace(/^<|>$/g, "");
  const [open, close] = node.getChildren("LinkMark");
  const label = plain(textOf(state, node.getChild("LinkLabel")));
  const text = open && close ? state.sliceDoc(open.to, close.from) : "";
  const target = definition(state, "LinkReference", "LinkLabel", label || text);
  return target ? addressOf(state, target) : "";
}

const IS_MAC = navigator.platform.startsWith("Mac");
/** What follows a link, in the words of its keyboard. */
const PRESS = IS_MAC ? "⌘-click" : "Ctrl+click";
const CITED = /^\[(?:[^\]]*[\s;])?-?@[\p{L}\p{N}_{][^\]]*\]$/u;

/** Whether a node is a link as a whole. A citation is one to nowhere for the grammar; it has a card of its own. */
function isAddressed(state: EditorState, node: SyntaxNode): boolean {
  if (node.name === "Link") return !CITED.test(textOf(state, node)) || addressOf(state, node) !== "";
  if (node.name === "URL") return !/^(?:Link|Image|Autolink)$/.test(node.parent?.name ?? "");
  return node.name === "Image" || node.name === "Autolink";
}

/** What leads somewhere at a position. */
export function linkAt(state: EditorState, at: number): Found | null {
  for (const side of [1, -1] as const) {
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent) {
      if (node.name === "FootnoteReference") return { node, kind: "footnote", label: textOf(state, node.getChild("FootnoteLabel")) };
      if (node.name === "Tag") return { node, kind: "tag", tag: textOf(state, node) };
      if (/^(?:WikiLink|Embed)$/.test(node.name)) return { node, kind: "note", name: noteNameOf(textOf(state, node)) };
      if (isAddressed(state, node)) return { node, kind: "address", address: addressOf(state, node) };
    }
  }
  return null;
}

/** What the pointer is told: the host and the whole address, or the footnote's text. */
export function describe(state: EditorState, found: Found): readonly string[] {
  const options = state.facet(renderedOptions);
  if (found.kind === "note") return options.isMissing(found) ? [found.name, `There is no such note yet. ${PRESS} makes it.`] : [found.name];
  if (found.kind === "tag") return [found.tag, `${PRESS} looks for it in all files.`];
  if (found.kind === "footnote") {
    const note = definition(state, "FootnoteDefinition", "FootnoteLabel", found.label);
    return [note ? textOf(state, note).replace(/^\[\^[^\]]+\]:\s*/, "") : `Footnote ${found.label} has no text yet.`];
  }
  const target = options.targetOf(found.address);
  if (!target) return found.address ? ["This address can't be opened.", found.address] : ["This link has no address."];
  if (target.kind === "file") return options.isMissing(target) ? [target.path, "There is no such note."] : [target.path];
  return [target.host, target.href];
}

/** Opens what is at a position; false if nothing there leads anywhere. */
function open(state: EditorState, at: number): boolean {
  const found = linkAt(state, at);
  const options = state.facet(renderedOptions);
  if (!found) return false;
  if (found.kind === "note") options.openNote(found.name);
  if (found.kind === "tag") options.openTag(found.tag);
  if (found.kind !== "address") return found.kind !== "footnote";
  const target = options.targetOf(found.address);
  if (target?.kind === "file") options.openFile(target.path);
  else if (target) options.openLink(target.href);
  return true;
}

const onPress = EditorView.domEventHandlers({
  mousedown(event, view) {
    const held = IS_MAC ? event.metaKey : event.ctrlKey;
    const at = held && event.button === 0 ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
    if (at === null || !open(view.state, at)) return false;
    event.preventDefault();
    return true;
  },
});

const onHover = hoverTooltip((view, at): Tooltip | null => {
  const found = linkAt(view.state, at);
  if (!found) return null;
  return { pos: found.node.from, end: found.node.to, above: true, create: () => hoverCard(view, found) };
});

/** What is told of a link, and the beginning of the note that it leads to as soon as that is read. */
function hoverCard(view: EditorView, found: Found): TooltipView {
  const options = view.state.facet(renderedOptions);
  const dom = card(describe(view.state, found));
  const target = found.kind === "address" ? options.targetOf(found.address) : null;
  const wanted = found.kind === "note" ? { name: found.name } : target?.kind === "file" ? { path: target.path } : null;
  let leave: (() => void) | null = null;
  let isGone = false;
  if (wanted) {
    options.preview(wanted).then(
      (text) => {
        if (isGone || text === null || text.trim() === "") return;
        const body = dom.appendChild(document.createElement("div"));
        body.className = "cm-link-preview prose";
        leave = options.drawText(body, text);
        repositionTooltips(view);
      },
      (error: unknown) => { console.warn("What a link leads to could not be read.", error); },
    );
  }
  return { dom, destroy: () => { isGone = true; leave?.(); } };
}

function card(lines: readonly string[]): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-link-card";
  for (const text of lines) dom.appendChild(document.createElement("div")).textContent = text;
  return dom;
}

export const links = [onPress, onHover];
