/** Sets the lines of code blocks inside prose in the code face. */
import { syntaxTree } from "@codemirror/language";
import { type EditorState, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

const codeLine = Decoration.line({ class: "cm-code-line" });

class CodeLines {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = decorate(view);
  }

  update(update: ViewUpdate): void {
    const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
    if (parsed || update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
  }
}

export const codeLines = ViewPlugin.fromClass(CodeLines, { decorations: (plugin) => plugin.decorations });

/** Whether a line of Markdown is set in the code face: code always, other syntax where the text shows as it reads. */
export function verbatimAt(state: EditorState, at: number, isRendered: boolean): boolean {
  const names = isRendered ? /^(?:FencedCode|CodeBlock|Table|BlockMath|FrontMatter|HTMLBlock)$/ : /^(?:FencedCode|CodeBlock)$/;
  const line = state.doc.lineAt(at);
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(line.to, -1); node; node = node.parent) if (names.test(node.name)) return true;
  return false;
}

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const doc = view.state.doc;
  let done = -1;
  for (const visible of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from: visible.from,
      to: visible.to,
      enter: (node) => {
        if (node.name !== "FencedCode" && node.name !== "CodeBlock") return true;
        const last = doc.lineAt(Math.min(node.to, visible.to)).number;
        for (let line = doc.lineAt(Math.max(node.from, visible.from)); line.number <= last; line = doc.line(line.number + 1)) {
          if (line.from > done) builder.add(line.from, line.from, codeLine);
          done = Math.max(done, line.from);
          if (line.number === doc.lines) break;
        }
        return false;
      },
    });
  }
  return builder.finish();
}
