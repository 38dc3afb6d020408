/** Which changes nobody would see as a text reads: those in a mark, in an address, in what a picture or a formula stands for. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNodeRef } from "@lezer/common";
import type { Span } from "./sheet";

/** Hidden as parts of what they stand in. */
const MARKS = /^(?:EmphasisMark|StrikethroughMark|SubscriptMark|SuperscriptMark|HighlightMark|CodeMark|CodeInfo|LinkMark|LinkTitle|LinkLabel|URL|WikiMark|FootnoteMark|HeaderMark)$/;
/** Hidden at the start of a line, for all of it. */
const LINE_MARKS = /^(?:QuoteMark|ListMark|TaskMarker)$/;
/** Something else stands in their place. */
const REPLACED = /^(?:InlineMath|BlockMath|FrontMatter|Image|Embed|Escape|HorizontalRule|FootnoteReference)$/;

/** Where the source must show for changes at some places to be seen. What is new as a whole shows as it reads. */
export function unseenIn(state: EditorState, changed: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { from, to } of changed) {
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        if (node.to <= from || node.from >= to) return;
        const whole = wholeOf(state, node);
        if (whole && (from > whole.from || to < whole.to)) found.push({ from: Math.max(from, node.from), to: Math.min(to, node.to) });
      },
    });
  }
  return found;
}

/** What a reader sees as one thing with a node that is hidden or replaced; null for one that shows. */
function wholeOf(state: EditorState, ref: SyntaxNodeRef): Span | null {
  const { name, from } = ref;
  if (MARKS.test(name)) return ref.node.parent;
  if (LINE_MARKS.test(name)) return { from, to: from + state.sliceDoc(from, state.doc.lineAt(from).to).trimEnd().length };
  return REPLACED.test(name) || (name === "FencedCode" && isDiagram(state, ref)) ? ref.node : null;
}

function isDiagram(state: EditorState, { node }: SyntaxNodeRef): boolean {
  const info = node.getChild("CodeInfo");
  return info !== null && state.sliceDoc(info.from, info.to).trim() === "mermaid";
}
