/** What the page hears of a text besides its words: what is selected, whose it is, that it changed. */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { authorship, type TellAuthor } from "./authorship";
import { type TellSelection, watchSelection } from "./selection";

export interface Listener {
  onSelection: TellSelection;
  onAuthor: TellAuthor;
  onText: () => void;
}

export function besideText({ onSelection, onAuthor, onText }: Listener): Extension {
  return [watchSelection(onSelection), authorship(onAuthor), EditorView.updateListener.of((update) => { if (update.docChanged) onText(); })];
}
