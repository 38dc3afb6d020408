import { EditorState, TextSelection } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { expect, test } from "vitest";
import { keys } from "./commands";
import { schema } from "./schema";

test("a key is about what is selected, though the browser has not told of it yet", () => {
  const doc = schema.node("doc", null, [schema.node("paragraph", { number: 1 }, [schema.text("Storms")])]);
  const view = new EditorView(document.body, { state: EditorState.create({ doc, plugins: keys() }) });
  view.dispatch(view.state.tr.setSelection(TextSelection.atEnd(view.state.doc)));
  view.focus();
  const words = view.dom.querySelector("p")?.firstChild;
  if (!words) throw new Error("There is no text.");
  document.getSelection()?.setBaseAndExtent(words, 6, words, 0);
  view.dom.dispatchEvent(new KeyboardEvent("keydown", { key: "u", ctrlKey: true, bubbles: true, cancelable: true }));
  expect(view.state.doc.firstChild?.firstChild?.marks.map((mark) => mark.type.name)).toEqual(["underline"]);
  expect([view.state.selection.from, view.state.selection.to]).toEqual([1, 7]);
  view.destroy();
});
