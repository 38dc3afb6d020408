/** Finding and replacing in the text. */
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import { FindPanel, type FindOptions } from "./panel";

/** Keys of the search that mean something else on this page. */
const TAKEN = new Set(["Mod-Shift-l", "Mod-Alt-g"]);

/** Opens the bar at the field for what comes instead; a text that can't be changed has none. */
export function openReplacing(view: EditorView): void {
  openSearchPanel(view);
  const field = view.dom.querySelector<HTMLInputElement>('.find-bar input[aria-label="Replace with"]');
  field?.focus();
  field?.select();
}

/** Opens the bar of a text in which not everything that is found counts. */
export function openFinding(view: EditorView): void {
  openSearchPanel(view);
  view.dom.querySelector<HTMLInputElement>('.find-bar input[aria-label="Find"]')?.dispatchEvent(new Event("input"));
}

export function finding(options: FindOptions): Extension {
  return [
    search({ top: true, literal: true, createPanel: (view) => new FindPanel(view, options) }),
    highlightSelectionMatches(),
    keymap.of(searchKeymap.filter(({ key }) => key === undefined || !TAKEN.has(key))),
  ];
}
