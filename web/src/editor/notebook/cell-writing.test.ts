import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { joinedCell } from "./cells-text";
import { opened } from "./fake-notebook";

/** Types as a person does: whoever handles what is typed may put something else. */
function type(view: EditorView, text: string): void {
  for (const letter of text) {
    const { from, to } = view.state.selection.main;
    const plain = () => view.state.update(view.state.replaceSelection(letter), { userEvent: "input.type" });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, letter, plain))) view.dispatch(plain());
  }
}

function press(view: EditorView, key: string): void {
  view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, cancelable: true }));
}

test("in a cell with code brackets close, and one that is typed over the closed one is no second", () => {
  const { notebook, edit } = opened();
  const { view } = edit("blank");
  type(view, 'print("x');
  expect(notebook.cell("blank")?.source).toBe('print("x")');
  type(view, '")');
  expect(notebook.cell("blank")?.source).toBe('print("x")');
});

test("in a cell with text they are left to the writer", () => {
  const { notebook, edit } = opened(joinedCell("markdown", "head", ""));
  type(edit("head").view, "(a");
  expect(notebook.cell("head")?.source).toBe("(a");
});

test("Ctrl+D puts a cursor at the next place with the same words", () => {
  const { notebook, edit } = opened(joinedCell("code", "twice", "tide + tide"));
  const { view } = edit("twice");
  press(view, "d");
  press(view, "d");
  expect(view.state.selection.ranges.map(({ from, to }) => [from, to])).toEqual([[0, 4], [7, 11]]);
  view.dispatch(view.state.replaceSelection("surge"));
  expect(notebook.cell("twice")?.source).toBe("surge + surge");
});
