/** Shows who wrote what: a mark on each stretch by its author, facts on hover, and whose text the cursor is in. */
import { type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, hoverTooltip, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type AuthoredSpan, carry, firstAfter, spanAt } from "./spans";

export type { AuthoredSpan } from "./spans";

/** What the page says of one author. */
export interface AuthorLook {
  /** The mark's class; an empty one leaves the text plain. */
  mark: string;
  name: string;
  facts: readonly { label: string; value: string }[];
  /** Where one reads more, if there is such a place. */
  more: { label: string; run: () => void } | null;
}

export interface Authored {
  spans: readonly AuthoredSpan[];
  looks: readonly AuthorLook[];
}

export type TellAuthor = (look: AuthorLook | null) => void;

const NOBODY: Authored = { spans: [], looks: [] };
const HOVER_MS = 350;

/** Gives the text its authors, or takes them away. */
export const setAuthored = StateEffect.define<Authored>();

const authored = StateField.define<Authored>({
  create: () => NOBODY,
  update(value, transaction) {
    const given = transaction.effects.findLast((effect) => effect.is(setAuthored));
    if (given) return given.value;
    return transaction.docChanged ? { ...value, spans: carry(value.spans, transaction.changes) } : value;
  },
});

class Marks implements PluginValue {
  decorations: DecorationSet;
  readonly #tell: TellAuthor;
  #told: AuthorLook | null = null;

  constructor(view: EditorView, tell: TellAuthor) {
    this.#tell = tell;
    this.decorations = draw(view);
  }

  update(update: ViewUpdate): void {
    const renewed = update.startState.field(authored) !== update.state.field(authored);
    if (renewed || update.viewportChanged) this.decorations = draw(update.view);
    if (renewed || update.selectionSet) this.#follow(update.state);
  }

  destroy(): void {
    this.#tell(null);
  }

  #follow(state: EditorState): void {
    const look = lookAt(state, state.selection.main.from);
    if (look === this.#told) return;
    this.#told = look;
    this.#tell(look);
  }
}

/** Whose the character at a place is; at the end of a text, the one before. */
function lookAt(state: EditorState, at: number): AuthorLook | null {
  const { spans, looks } = state.field(authored);
  const span = spanAt(spans, Math.min(at, state.doc.length - 1));
  return looks[span?.author ?? -1] ?? null;
}

function draw(view: EditorView): DecorationSet {
  const { spans, looks } = view.state.field(authored);
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let index = firstAfter(spans, from); index < spans.length; index += 1) {
      const span = spans[index];
      if (!span || span.from >= to) break;
      const mark = looks[span.author]?.mark ?? "";
      if (mark !== "") marks.push(Decoration.mark({ class: mark }).range(Math.max(span.from, from), Math.min(span.to, to)));
    }
  }
  return Decoration.set(marks, true);
}

const hover = hoverTooltip(
  (view, at, side) => {
    const { spans, looks } = view.state.field(authored);
    const span = spanAt(spans, side < 0 ? at - 1 : at);
    const look = looks[span?.author ?? -1];
    if (!span || !look || look.mark === "") return null;
    return { pos: at, above: true, create: () => ({ dom: card(look) }) };
  },
  { hoverTime: HOVER_MS, hideOnChange: true },
);

/** A small card with what is known of an author. */
function card(look: AuthorLook): HTMLElement {
  const dom = element("div", "popover author-card");
  dom.append(element("b", "", look.name));
  const list = element("dl", "");
  for (const { label, value } of look.facts) list.append(element("dt", "", label), element("dd", "", value));
  if (look.facts.length > 0) dom.append(list);
  if (look.more) {
    const button = element("button", "text-button", look.more.label);
    button.addEventListener("click", look.more.run);
    dom.append(button);
  }
  return dom;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}

/** The authors of a text, as it was given them, and as it was changed since. */
export function authoredIn(state: EditorState): Authored {
  return state.field(authored);
}

/** The authors of a part of a text. */
export function partOf({ spans, looks }: Authored, from: number, to: number): Authored {
  const within = spans.filter((span) => span.to > from && span.from < to);
  return { looks, spans: within.map((span) => ({ author: span.author, from: Math.max(span.from, from) - from, to: Math.min(span.to, to) - from })) };
}

/** The view of the authors; without stretches it shows nothing. */
export function authorship(tell: TellAuthor): Extension {
  return [authored, ViewPlugin.define((view) => new Marks(view, tell), { decorations: (marks) => marks.decorations }), hover];
}
