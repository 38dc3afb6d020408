/** What people expect of a place to write: forms by keys, brackets that close, several cursors, folds, long lines that wrap or don't. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { codeFolding, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { crosshairCursor, EditorView, keymap, rectangularSelection } from "@codemirror/view";
import { addCursorAbove, addCursorBelow } from "@codemirror/commands";
import { pastedLink } from "./formatting";

export { format, type Format } from "./formatting";
export { pasting, type PastingAround } from "./pasting";
export { noteLinks, type NotesAround } from "./note-links";

/** In prose the signs of Markdown go around what is selected; alone they are typed as they are. */
const PROSE_PAIRS = { brackets: ["(", "[", "{", '"', "`", "*", "_", "~", "="], before: ")]}:;>" };

export const severalCursors: Extension = [
  EditorState.allowMultipleSelections.of(true),
  rectangularSelection(),
  crosshairCursor(),
  keymap.of([{ key: "Mod-Alt-ArrowUp", run: addCursorAbove }, { key: "Mod-Alt-ArrowDown", run: addCursorBelow }]),
];

const linkPasting = EditorView.domEventHandlers({
  paste(event, view) {
    const spec = view.state.readOnly ? null : pastedLink(view.state, event.clipboardData?.getData("text/plain") ?? "");
    if (!spec) return false;
    event.preventDefault();
    view.dispatch(spec, { userEvent: "input.paste", scrollIntoView: true });
    return true;
  },
});

/** In prose only what is selected gets a pair: a bracket that closes by itself is in the way of a writer. */
const surrounding = EditorView.inputHandler.of((view, from, to, text) => {
  if (from === to || view.state.readOnly || !PROSE_PAIRS.brackets.includes(text)) return false;
  const close = { "(": ")", "[": "]", "{": "}" }[text] ?? text;
  view.dispatch(view.state.changeByRange((range) => ({
    changes: [{ from: range.from, insert: text }, { from: range.to, insert: close }],
    range: EditorSelection.range(range.anchor + text.length, range.head + text.length),
  })), { userEvent: "input.type", scrollIntoView: true });
  return true;
});

function foldSign(open: boolean): HTMLElement {
  const sign = document.createElement("span");
  sign.className = "cm-fold-sign";
  sign.textContent = open ? "⌄" : "›";
  sign.title = open ? "Fold" : "Unfold";
  return sign;
}

/** What happens to brackets and quotes that are typed. */
export function brackets(isProse: boolean): Extension {
  return isProse ? surrounding : [closeBrackets(), keymap.of(closeBracketsKeymap)];
}

export function writing(isProse: boolean): Extension {
  return [
    severalCursors,
    brackets(isProse),
    isProse ? [linkPasting, codeFolding()] : [indentOnInput(), foldGutter({ markerDOM: foldSign })],
    keymap.of(foldKeymap),
  ];
}
