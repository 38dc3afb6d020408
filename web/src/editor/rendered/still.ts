/** A passage that is not in the text any more, drawn as it would read there: once, and not to be edited. */
import { ensureSyntaxTree, language, syntaxTree } from "@codemirror/language";
import { EditorState, type Range, RangeSet } from "@codemirror/state";
import { Decoration, type EditorView, type WidgetType } from "@codemirror/view";
import { highlightTree } from "@lezer/highlight";
import type { SyntaxNode } from "@lezer/common";
import { highlight } from "../look";
import { partsIn } from "../syntax/sections";
import { draw } from "./draw";
import { renderedOptions, sourceShown } from "./options";
import type { Span } from "./sheet";
import { unseenIn } from "./unseen";

/** What stands before and behind a passage in its block: that decides how it reads. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

const BLOCK = /^(?:Paragraph|SetextHeading[12]|FencedCode|CodeBlock|Blockquote|BulletList|OrderedList|FrontMatter|BlockMath|HTMLBlock|CommentBlock|FootnoteDefinition|Table)$/;
/** More than this around a passage is not read again for it. */
const MOST = 20_000;
const NOTHING: Around = { before: "", after: "" };
const PARSING_MS = 100;

/** What stands around whole lines, or around a place between lines. */
export function aroundLines(state: EditorState, from: number, to: number): Around {
  const start = Math.min(from, blockAt(state, from, 1)?.from ?? from);
  const end = Math.max(to, blockAt(state, to, -1)?.to ?? to);
  if (from - start + end - to > MOST) return NOTHING;
  const before = state.sliceDoc(state.doc.lineAt(start).from, from);
  const after = state.sliceDoc(to, end);
  return { before: before === "" || before.endsWith("\n") ? before : `${before}\n`, after: after === "" || after.startsWith("\n") ? after : `\n${after}` };
}

/** The head of a table, which makes rows of the lines below it. */
export function headOf(state: EditorState, table: Span): Around {
  const head = state.doc.lineAt(table.from);
  return { before: `${state.sliceDoc(head.from, state.doc.line(Math.min(state.doc.lines, head.number + 1)).to)}\n`, after: "" };
}

function blockAt(state: EditorState, at: number, side: 1 | -1): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent) if (BLOCK.test(node.name)) found = node;
  return found;
}

const gone = Decoration.mark({ tagName: "del" });

export class Still {
  readonly #view: EditorView;
  readonly #state: EditorState;
  readonly #from: number;
  readonly #to: number;
  readonly #sets: readonly RangeSet<Decoration>[];

  /** The words of the passage that went are struck out; what of it is hidden and went shows as its source. */
  constructor(view: EditorView, text: string, removed: readonly Span[], { before, after }: Around, isRows = false) {
    const doc = before + text + after;
    this.#view = view;
    this.#from = before.length;
    this.#to = before.length + text.length;
    this.#state = stateOf(view, doc, isRows);
    const marked = removed.map(({ from, to }) => ({ from: from + this.#from, to: to + this.#from })).filter(({ from, to }) => to > from);
    const passage = { from: this.#from, to: this.#to };
    const { inner } = draw(this.#state, [passage], unseenIn(this.#state, marked.length > 0 ? marked : [passage]));
    this.#sets = [this.#colours(), inner, RangeSet.of(marked.map(({ from, to }) => gone.range(from, to)), true)];
  }

  /** Its lines, each as a line of the text. */
  lines(): HTMLElement[] {
    const { doc } = this.#state;
    const lines: HTMLElement[] = [];
    for (let number = doc.lineAt(this.#from).number; number <= doc.lineAt(this.#to).number; number += 1) {
      const { from, to } = doc.line(number);
      const place = document.createElement("div");
      place.className = "cm-line";
      this.#sets[1]?.between(from, from, (start, end, { spec }) => {
        if (start === from && end === from) dress(place, spec as Spec);
      });
      this.#fill(place, from, to);
      if (!place.hasChildNodes()) place.append(document.createElement("br"));
      lines.push(place);
    }
    return lines;
  }

  /** A stretch of one of its lines, by places in the passage. */
  fill(place: HTMLElement, from: number, to: number): void {
    this.#fill(place, from + this.#from, to + this.#from);
  }

  #fill(place: HTMLElement, from: number, to: number): void {
    let open: { mark: Decoration; element: HTMLElement }[] = [];
    const put = (node: Node, active: readonly Decoration[]) => {
      const wanted = [...active].reverse();
      const shared = open.findIndex(({ mark }, depth) => mark !== wanted[depth]);
      open = open.slice(0, shared < 0 ? open.length : shared);
      for (const mark of wanted.slice(open.length)) {
        const spec = mark.spec as Spec;
        const element = document.createElement(spec.tagName ?? "span");
        dress(element, spec);
        (open.at(-1)?.element ?? place).append(element);
        open.push({ mark, element });
      }
      (open.at(-1)?.element ?? place).append(node);
    };
    RangeSet.spans(this.#sets, from, to, {
      span: (start, end, active) => { put(document.createTextNode(this.#state.sliceDoc(start, end)), active); },
      point: (start, end, { spec }, active) => {
        const { widget } = spec as Spec;
        if (widget && end > start) put(widget.toDOM(this.#view), active);
      },
    });
  }

  #colours(): RangeSet<Decoration> {
    const ranges: Range<Decoration>[] = [];
    for (const { tree, start } of partsIn(syntaxTree(this.#state), this.#from, this.#to)) {
      highlightTree(tree, highlight, (from, to, name) => { ranges.push(Decoration.mark({ class: name }).range(start + from, start + to)); }, Math.max(0, this.#from - start), this.#to - start);
    }
    return RangeSet.of(ranges, true);
  }
}

interface Spec {
  readonly tagName?: string;
  readonly class?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly widget?: WidgetType;
}

function dress(place: HTMLElement, { class: name, attributes = {} }: Spec): void {
  if (name) place.classList.add(...name.split(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") place.classList.add(...value.split(" "));
    else if (key === "style") place.style.cssText = value;
    else place.setAttribute(key, value);
  }
}

/** Notes and diagrams of a text that is gone are not looked for: links and source stand for them. */
function stateOf(view: EditorView, doc: string, isRows: boolean): EditorState {
  const options = { ...view.state.facet(renderedOptions), diagram: () => null, noteShown: () => "looking" as const };
  const parser = view.state.facet(language);
  const asSource = isRows ? [] : [sourceShown.of([{ from: 0, to: doc.length }])];
  const state = EditorState.create({ doc, extensions: [parser?.extension ?? [], EditorState.readOnly.of(true), renderedOptions.of(options), asSource] });
  ensureSyntaxTree(state, doc.length, PARSING_MS);
  // The next state knows what was parsed since.
  return state.update({}).state;
}
