import { expect, test } from "vitest";
import { BY_OTHERS, LiveText } from "./live-text";
import { TextViewer } from "../viewer";

function setUp(text: string, other = "") {
  const live = new LiveText("a.md");
  live.doc.transact(() => { live.text.insert(0, text); }, BY_OTHERS);
  const saved: string[] = [];
  const viewer = new TextViewer(document.createElement("div"), { save: (path) => { saved.push(path); } });
  viewer.show({ path: "a.md", text: other, hash: "1", live });
  return { live, viewer, saved, shown: () => viewer.view.state.doc.toString() };
}

function press(viewer: TextViewer, key: string): void {
  viewer.view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, cancelable: true }));
}

test("what is typed goes to the live text, several changes at once too", () => {
  const { live, viewer } = setUp("one two\n");
  viewer.view.dispatch({ changes: [{ from: 0, to: 3, insert: "😀" }, { from: 7, insert: "!" }] });
  expect(live.content).toBe("😀 two!\n");
});

test("what others write comes to the editor, and the cursor stays with its word", () => {
  const { live, viewer, shown } = setUp("one two\n");
  viewer.view.dispatch({ selection: { anchor: 4 } });
  live.doc.transact(() => {
    live.text.delete(0, 1);
    live.text.insert(0, "Zero, 漢 o");
    live.text.insert(live.text.length, "end\n");
  }, BY_OTHERS);
  expect([shown(), viewer.view.state.selection.main.head]).toEqual([live.content, live.content.indexOf("two")]);
});

test("undo and redo are of this text, and the cursor goes where it happened", () => {
  const { live, viewer, shown } = setUp("one\n");
  viewer.view.dispatch({ changes: { from: 3, insert: " typed" } });
  live.doc.transact(() => { live.text.insert(0, "other "); }, BY_OTHERS);
  press(viewer, "z");
  expect([shown(), viewer.view.state.selection.main.head]).toEqual(["other one\n", 9]);
  press(viewer, "y");
  expect([shown(), live.content]).toEqual(["other one typed\n", "other one typed\n"]);
});

test("letters at one place are one step of undo; a new line, a form, what is pasted or typed elsewhere is another", () => {
  const { viewer, shown } = setUp("Tide.\n");
  const { view } = viewer;
  const put = (from: number, insert: string, userEvent: string) => { view.dispatch({ changes: { from, insert }, userEvent }); };
  put(5, " a", "input.type");
  put(7, "b", "input.type");
  view.dispatch({ changes: { from: 7, to: 8 }, userEvent: "delete.backward" });
  put(7, "\n", "input");
  put(8, "c", "input.type");
  put(8, "**", "input.format");
  put(11, "pasted", "input.paste");
  put(0, "d", "input.type");
  const steps = [shown()];
  for (let undone = 0; undone < 6; undone += 1) {
    press(viewer, "z");
    steps.push(shown());
  }
  expect(steps).toEqual(["dTide. a\n**cpasted\n", "Tide. a\n**cpasted\n", "Tide. a\n**c\n", "Tide. a\nc\n", "Tide. a\n\n", "Tide. a\n", "Tide.\n"]);
});

test("two editors show one text, and undo in one leaves the place in the other alone", () => {
  const { live, viewer, shown } = setUp("one\ntwo\n");
  const beside = new TextViewer(document.createElement("div"));
  beside.show({ path: "a.md", text: "", hash: "1", live });
  beside.view.dispatch({ selection: { anchor: 6 } });
  viewer.view.dispatch({ changes: { from: 0, insert: "typed " } });
  expect([beside.view.state.doc.toString(), beside.view.state.selection.main.head]).toEqual(["typed one\ntwo\n", 12]);
  beside.view.dispatch({ changes: { from: 14, insert: "end" } });
  press(viewer, "z");
  press(viewer, "z");
  expect([shown(), beside.view.state.doc.toString(), beside.view.state.selection.main.head]).toEqual(["one\ntwo\n", "one\ntwo\n", 6]);
});

test("Ctrl+S saves", () => {
  const { viewer, saved } = setUp("one\n");
  press(viewer, "s");
  expect(saved).toEqual(["a.md"]);
});

test("a text that others changed while another was shown is right when it comes back", () => {
  const { live, viewer, shown } = setUp("one\ntwo\n");
  viewer.show({ path: "b.md", text: "other", hash: "1" });
  live.doc.transact(() => { live.text.insert(4, "new\n"); }, BY_OTHERS);
  expect(viewer.view.state.readOnly).toBe(true);
  viewer.show({ path: "a.md", text: "stale", hash: "2", live });
  expect([shown(), viewer.view.state.readOnly]).toEqual(["one\nnew\ntwo\n", false]);
  viewer.view.dispatch({ changes: { from: 0, insert: "x" } });
  expect(live.content).toBe("xone\nnew\ntwo\n");
});

test("a text that becomes live keeps the place in it", () => {
  const live = new LiveText("a.md");
  live.doc.transact(() => { live.text.insert(0, "one\ntwo\n"); }, BY_OTHERS);
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.md", text: "one\ntwo\n", hash: "1" });
  viewer.goTo(2, 2);
  viewer.show({ path: "a.md", text: "one\ntwo\n", hash: "1", live });
  expect([viewer.view.state.selection.main.head, viewer.view.state.readOnly]).toEqual([5, false]);
});

test("mixed line ends stay where they are", () => {
  const { live, viewer, shown } = setUp("one\r\ntwo\nthree\rfour");
  expect(shown()).toBe("one\r\ntwo\nthree\rfour");
  viewer.view.dispatch({ changes: { from: 5, insert: "2 " } });
  expect(live.content).toBe("one\r\n2 two\nthree\rfour");
});

test("two editors of one text show the same, whichever is typed in", () => {
  const { live, viewer, shown } = setUp("one\n");
  const second = new TextViewer(document.createElement("div"));
  second.show({ path: "a.md", text: "", hash: "1", live });
  viewer.view.dispatch({ changes: { from: 0, insert: "left " } });
  second.view.dispatch({ changes: { from: 0, insert: "right " } });
  expect([shown(), second.view.state.doc.toString(), live.content]).toEqual(Array(3).fill("right left one\n"));
});
