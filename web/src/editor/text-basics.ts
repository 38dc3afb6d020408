/** What every text in the viewer has, whatever stands around it: its look, its keys, finding, indentation and writing. */
import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import { isProse, nameOf } from "./facts";
import { finding } from "./find";
import { tabKeys } from "./keys/tab-keys";
import type { LiveText } from "./live/live-text";
import { codeLook, highlight, phrases, proseLook } from "./look";
import { linesAsCounted, numberedLines } from "./reading/large-text";
import type { ViewedText } from "./surroundings";
import { colouring } from "./syntax/colouring";
import { indentation } from "./syntax/indentation";
import { writing } from "./writing";

/** Keys of the editor that the browser goes back and forward with. */
const LEFT_TO_BROWSER = new Set(["Alt-ArrowLeft", "Alt-ArrowRight"]);
const keys = keymap.of(defaultKeymap.filter(({ key }) => key === undefined || !LEFT_TO_BROWSER.has(key)));

export function textBasics(viewed: ViewedText, live: LiveText | null): Extension {
  const name = nameOf(viewed.path);
  const prose = isProse(name);
  return [
    prose ? proseLook : [codeLook, numberedLines(viewed.part), bracketMatching()],
    linesAsCounted(viewed.part),
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ "aria-label": `Text of ${name}`, "aria-readonly": String(!live), tabindex: "0", spellcheck: String(prose && live !== null) }),
    drawSelection(),
    highlightSpecialChars(),
    colouring(highlight),
    finding({ endStep: () => { live?.undo.stopCapturing(); } }),
    indentation(name, viewed.indent),
    tabKeys(prose),
    writing(prose),
    keys,
  ];
}
