/** Finding and replacing in the text. */
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { FindPanel, type FindOptions } from "./panel";

/** Keys of the search that mean something else on this page. */
const TAKEN = new Set(["Mod-Shift-l", "Mod-Alt-g"]);

export function finding(options: FindOptions): Extension {
  return [
    search({ top: true, literal: true, createPanel: (view) => new FindPanel(view, options) }),
    highlightSelectionMatches(),
    keymap.of(searchKeymap.filter(({ key }) => key === undefined || !TAKEN.has(key))),
  ];
}
