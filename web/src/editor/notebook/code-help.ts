/** What a running kernel knows of the code in a cell: Tab offers how a name goes on, Shift+Tab says what it is. */
import { acceptCompletion, autocompletion, closeCompletion, type CompletionContext, completionKeymap, type CompletionResult, completionStatus, startCompletion } from "@codemirror/autocomplete";
import { type EditorState, type Extension, Prec, StateEffect, StateField, type Text } from "@codemirror/state";
import { type Command, type EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";

export interface KernelKnowledge {
  /** How the code goes on between two parts of it; the note says why it is not known. */
  complete: (before: string, after: string) => Promise<{ start: number; end: number; items: readonly { text: string; type: string }[]; note: string }>;
  /** What stands between two parts of the code. */
  help: (before: string, after: string) => Promise<{ text: string; note: string }>;
}

const NAME = /^[%\w]*$/;
/** What may come before a cursor at which a name goes on: not the blanks that a line begins with. */
const WORDS = /\S$/;
const MAX_BOOST = 99;
const NOTHING_KNOWN = "The kernel knows no way to go on here.";

const setCard = StateEffect.define<{ at: number; words: string; isNote: boolean } | null>();

/** The words that are shown at the cursor until the person goes on. */
const card = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, { docChanged, selection, effects }) {
    for (const effect of effects) if (effect.is(setCard)) return effect.value && cardOf(effect.value);
    return docChanged || selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

function cardOf({ at, words, isNote }: { at: number; words: string; isNote: boolean }): Tooltip {
  return {
    pos: at,
    above: false,
    create: () => {
      const dom = document.createElement("div");
      dom.className = isNote ? "cell-help cell-help-note" : "cell-help";
      dom.setAttribute("role", "status");
      // What scrolls must be reachable by keyboard.
      dom.tabIndex = 0;
      dom.textContent = words;
      return { dom };
    },
  };
}

export function codeHelp(knowledge: KernelKnowledge): Extension {
  let known: CompletionResult | null = null;
  const source = ({ pos }: CompletionContext): CompletionResult | null => (known?.to === pos ? known : null);

  const complete: Command = (view) => {
    const asked = placeIn(view.state);
    if (!asked) return false;
    knowledge.complete(asked.before, asked.after).then(({ start, end, items, note }) => {
      if (!isStill(view, asked)) return;
      const [first, ...others] = items;
      if (!first) {
        view.dispatch({ effects: setCard.of({ at: asked.at, words: note || NOTHING_KNOWN, isNote: true }) });
      } else if (others.length === 0) {
        view.dispatch({ changes: { from: start, to: end, insert: first.text }, selection: { anchor: start + first.text.length }, userEvent: "input.complete", scrollIntoView: true });
      } else {
        known = { from: start, to: end, validFor: NAME, options: items.map(({ text, type }, index) => ({ label: text, detail: type, boost: MAX_BOOST - (2 * MAX_BOOST * index) / items.length })) };
        startCompletion(view);
      }
    }, console.error);
    return true;
  };

  const explain: Command = (view) => {
    const asked = placeIn(view.state);
    if (!asked) return false;
    knowledge.help(asked.before, asked.after).then(({ text, note }) => {
      if (isStill(view, asked)) view.dispatch({ effects: setCard.of({ at: asked.at, words: text || note, isNote: text === "" }) });
    }, console.error);
    return true;
  };

  const leave: Command = (view) => {
    if (closeCompletion(view)) return true;
    if (view.state.field(card) === null) return false;
    view.dispatch({ effects: setCard.of(null) });
    return true;
  };

  return [
    card,
    autocompletion({ override: [source], activateOnTyping: false, icons: false, defaultKeymap: false, interactionDelay: 0 }),
    Prec.highest(keymap.of([
      { key: "Tab", run: (view) => (completionStatus(view.state) === "active" ? acceptCompletion(view) : complete(view)), shift: explain },
      { key: "Ctrl-Space", run: complete },
      { key: "Escape", run: leave },
      ...completionKeymap.filter(({ run }) => run !== startCompletion),
    ])),
  ];
}

interface Place {
  doc: Text;
  at: number;
  before: string;
  after: string;
}

/** Where the kernel is asked about; null where Tab means the indentation. */
function placeIn({ doc, selection, readOnly }: EditorState): Place | null {
  const { main, ranges } = selection;
  const line = doc.lineAt(main.head);
  if (readOnly || ranges.length > 1 || !main.empty || !WORDS.test(line.text.slice(0, main.head - line.from))) return null;
  return { doc, at: main.head, before: doc.sliceString(0, main.head), after: doc.sliceString(main.head) };
}

/** Whether the person has stayed there since. */
function isStill(view: EditorView, { doc, at }: Place): boolean {
  const { state } = view;
  return view.dom.isConnected && state.doc.eq(doc) && state.selection.main.empty && state.selection.main.head === at;
}
