import { Text } from "@codemirror/state";
import { expect, test, vi } from "vitest";
import { difference } from "./live/difference";
import { isProse, sizeText } from "./facts";
import { languageOf } from "./syntax/languages";
import { BY_OTHERS, LiveText } from "./live/live-text";
import { TextViewer } from "./viewer";

const doc = (text: string) => Text.of(text.split("\n"));

test.each([
  ["same", "same", null],
  ["a\nb\nc", "a\nx\nc", { from: 2, to: 3, insert: "x" }],
  ["a\nb", "new\na\nb", { from: 0, to: 0, insert: "new\n" }],
  ["aaa", "aa", { from: 2, to: 3, insert: "" }],
  ["", "text", { from: 0, to: 0, insert: "text" }],
  ["a\nb", "a\r\nb", null],
])("from %j to %j only the difference changes", (before, after, expected) => {
  const found = difference(doc(before), after);
  expect(found && { ...found, insert: found.insert.toString() }).toEqual(expected);
});

test("each file keeps its own place while others are shown", () => {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.txt", text: "one\ntwo\nthree", hash: "1" });
  viewer.goTo(2, 2);
  viewer.show({ path: "b.txt", text: "other", hash: "2" });
  expect(viewer.view.state.selection.main.head).toBe(0);
  viewer.show({ path: "a.txt", text: "zero\none\ntwo\nthree", hash: "3" });
  expect([viewer.view.state.doc.toString(), viewer.view.state.selection.main.head]).toEqual(["zero\none\ntwo\nthree", 10]);
  viewer.destroy();
});

test("a note that is opened for the first time is begun behind its front matter", () => {
  const viewer = new TextViewer(document.createElement("div"));
  const begun = ([path, text]: readonly [string, string]) => {
    viewer.show({ path, text, hash: "1" });
    return viewer.view.state.selection.main.head;
  };
  const texts = [["a.md", "---\ntitle: Tide\n---\n\n# Tide"], ["b.md", "---\nno end"], ["c.md", "---\na: b\n---"], ["d.yml", "---\na: b\n---\nc: d"]] as const;
  expect(texts.map(begun)).toEqual([20, 0, 0, 0]);
  viewer.destroy();
});

test("nothing can be typed into the text", () => {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.txt", text: "one", hash: "1" });
  expect([viewer.view.state.readOnly, viewer.view.contentDOM.getAttribute("aria-label")]).toEqual([true, "Text of a.txt"]);
  viewer.destroy();
});

test("a text that becomes live in the same words stays as it is drawn, and can be written in", () => {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.md", text: "# One\n\ntwo", hash: "1" });
  viewer.goTo(3, 2);
  const line = viewer.view.contentDOM.querySelector(".cm-line");
  const live = new LiveText("a.md");
  live.text.insert(0, "# One\n\ntwo");
  viewer.show({ path: "a.md", text: "# One\n\ntwo", hash: "1", live });
  expect(viewer.view.contentDOM.querySelector(".cm-line")).toBe(line);
  expect([viewer.view.state.readOnly, viewer.view.state.selection.main.head]).toEqual([false, 8]);
  viewer.view.dispatch({ changes: { from: 10, insert: "!" } });
  expect(live.content).toBe("# One\n\ntwo!");
  live.text.insert(0, ">");
  expect(viewer.view.state.doc.toString()).toBe("># One\n\ntwo!");
  viewer.destroy();
});

test("what a person changes here is told, and nothing that comes from elsewhere", () => {
  const edited: string[] = [];
  const viewer = new TextViewer(document.createElement("div"), { edited: (path) => { edited.push(path); } });
  const live = new LiveText("a.md");
  live.text.insert(0, "one");
  viewer.show({ path: "a.md", text: "one", hash: "1", live });
  live.text.insert(3, " two");
  viewer.goTo(1, 3);
  expect(edited).toEqual([]);
  viewer.view.dispatch({ changes: { from: 0, insert: "!" } });
  expect(edited).toEqual(["a.md"]);
  viewer.destroy();
});

test("another part of a large text is shown from its beginning, with the numbers of its own lines", () => {
  const viewer = new TextViewer(document.body.appendChild(document.createElement("div")));
  viewer.show({ path: "a.log", text: "one\ntwo", hash: "1", part: { number: 1, firstLine: 1 } });
  viewer.goTo(2, 2);
  viewer.show({ path: "a.log", text: "three\nfour", hash: "2", part: { number: 2, firstLine: 1001 } });
  expect([viewer.text, viewer.view.state.selection.main.head, viewer.view.state.readOnly]).toEqual(["three\nfour", 0, true]);
  expect([...viewer.view.dom.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].slice(1).map((one) => one.textContent)).toEqual(["1001", "1002"]);
  viewer.goTo(1002, 2);
  expect(viewer.view.state.selection.main.head).toBe(7);
  viewer.destroy();
});

test("a line beyond the end is the last line", () => {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.txt", text: "one\ntwo", hash: "1" });
  viewer.goTo(99, 99);
  expect(viewer.view.state.selection.main.head).toBe(7);
  viewer.destroy();
});

test.each([
  ["methods.md", "Markdown"], ["gauge.PY", null], ["gauge.py", "Python"], ["Dockerfile", "Dockerfile"], ["a.tsx", "TSX"], ["notes", null],
])("%s is %s", (name, language) => {
  expect(languageOf(name)?.name ?? null).toBe(language);
});

test("facts of a text", () => {
  expect([1, 812, 84_000, 2_100_000].map(sizeText)).toEqual(["1 byte", "812 bytes", "84 KB", "2.1 MB"]);
  expect([isProse("README"), isProse("a.md"), isProse("a.py")]).toEqual([true, true, false]);
});

test("a text is counted once it can be written in", () => {
  vi.useFakeTimers();
  const counted: number[] = [];
  const viewer = new TextViewer(document.createElement("div"), { count: (_path, { words }) => { counted.push(words); } });
  const live = new LiveText("a.md");
  live.doc.transact(() => { live.text.insert(0, "One two three."); }, BY_OTHERS);
  viewer.show({ path: "a.md", text: "One two three.", hash: "1" });
  vi.runAllTimers();
  expect(counted).toEqual([]);
  viewer.show({ path: "a.md", text: "One two three.", hash: "1", live });
  vi.runAllTimers();
  expect(counted).toEqual([3]);
  viewer.destroy();
});

test("a selected passage is told with what stands around it, and nothing selected is nothing", () => {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path: "a.txt", text: "One two three.", hash: "1" });
  expect(viewer.passage()).toBeNull();
  viewer.view.dispatch({ selection: { anchor: 4, head: 7 } });
  expect(viewer.passage()).toEqual({ path: "a.txt", before: "One ", text: "two", after: " three." });
  viewer.destroy();
});
