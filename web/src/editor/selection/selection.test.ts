import { EditorSelection, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { type Resting, watchSelection } from ".";

function opened(doc: string) {
  const told: (Pick<Resting, "from" | "to"> | null)[] = [];
  const parent = document.body.appendChild(document.createElement("div"));
  const view = new EditorView({ parent, state: EditorState.create({ doc, extensions: [EditorState.allowMultipleSelections.of(true), watchSelection((found) => { told.push(found && { from: found.from, to: found.to }); })] }) });
  const select = async (anchor: number, head: number) => {
    view.dispatch({ selection: { anchor, head } });
    await measured();
  };
  return { view, told, select };
}

/** The editor measures in an animation frame. */
const measured = () => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); });

/** jsdom lays nothing out: the view is given a height, or everything would be out of sight. */
vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);

test("a selection is told with its place, and its end as nothing", async () => {
  const { view, told, select } = opened("One two three.");
  await select(4, 7);
  await select(7, 7);
  expect(told).toEqual([{ from: 4, to: 7 }, null]);
  view.destroy();
});

test("selected space is nothing", async () => {
  const { view, told, select } = opened("One   two");
  await select(3, 6);
  expect(told).toEqual([]);
  view.destroy();
});

test("with several cursors nothing is told: what is offered for one would lie over the others", async () => {
  const { view, told, select } = opened("One two three.");
  await select(4, 7);
  view.dispatch({ selection: EditorSelection.create([EditorSelection.range(4, 7), EditorSelection.range(8, 13)]) });
  await measured();
  expect(told).toEqual([{ from: 4, to: 7 }, null]);
  view.destroy();
});

test("while the pointer is down nothing is told", async () => {
  const { view, told, select } = opened("One two three.");
  view.contentDOM.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, button: 0 }));
  await select(4, 7);
  expect(told).toEqual([]);
  document.dispatchEvent(new MouseEvent("mouseup"));
  await measured();
  expect(told.at(-1)).not.toBeUndefined();
  view.destroy();
});

test("Esc puts it away until something else is selected", async () => {
  const { view, told, select } = opened("One two three.");
  await select(4, 7);
  view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await measured();
  await select(0, 3);
  expect(told).toEqual([{ from: 4, to: 7 }, null, { from: 0, to: 3 }]);
  view.destroy();
});
