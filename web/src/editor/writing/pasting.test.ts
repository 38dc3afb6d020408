import { markdown } from "@codemirror/lang-markdown";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { pasting, type PastingAround } from "./pasting";

const asked: File[] = [];
const AROUND: PastingAround = {
  keep: (picture) => { asked.push(picture); return Promise.resolve(`![](${picture.name})`); },
  markdownOf: (html) => (html.includes("<b>") ? "**bold**" : null),
  failed: () => undefined,
};

function opened(doc: string, around: Partial<PastingAround> = {}): EditorView {
  return new EditorView({ parent: document.body, state: EditorState.create({ doc, selection: { anchor: doc.length }, extensions: [markdown(), pasting({ ...AROUND, ...around })] }) });
}

function paste(view: EditorView, data: Record<string, string>, files: File[] = []): void {
  const event = new Event("paste", { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { files, types: Object.keys(data), getData: (type: string) => data[type] ?? "" } });
  view.contentDOM.dispatchEvent(event);
}

test("HTML becomes Markdown, but with Shift and in code words come plain", () => {
  const view = opened("a ");
  paste(view, { "text/html": "<b>bold</b>", "text/plain": "bold" });
  expect(view.state.doc.toString()).toBe("a **bold**");
  view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key: "V", shiftKey: true, ctrlKey: true, bubbles: true }));
  paste(view, { "text/html": "<b>bold</b>", "text/plain": " bold" });
  expect(view.state.doc.toString()).toBe("a **bold** bold");
  const code = opened("```\n");
  paste(code, { "text/html": "<b>bold</b>", "text/plain": "bold" });
  expect(code.state.doc.toString()).toBe("```\nbold");
});

test("a pasted heading or list begins a paragraph of its own behind words, and goes on in an empty item", () => {
  const pasted = (before: string, markdown: string) => {
    const view = opened(before, { markdownOf: () => markdown });
    paste(view, { "text/html": "<h2>Tide</h2>", "text/plain": "Tide" });
    return view.state.doc.toString();
  };
  expect(pasted("words", "## Tide")).toBe("words\n\n## Tide");
  expect(pasted("words ", "- one\n- two")).toBe("words \n\n- one\n- two");
  expect(pasted("", "## Tide")).toBe("## Tide");
  expect(pasted("- ", "- one")).toBe("- - one");
  expect(pasted("words ", "**Tide**")).toBe("words **Tide**");
});

test("a picture is kept, and its link stands where it was pasted however the text has changed meanwhile", async () => {
  const { promise, resolve: done } = Promise.withResolvers<string>();
  const view = opened("one two", { keep: () => promise });
  view.dispatch({ selection: { anchor: 3 } });
  paste(view, { "text/html": "<img src='file:///x'>" }, [new File(["x"], "a.png", { type: "image/png" })]);
  expect(view.dom.textContent).toContain("Keeping the picture…");
  view.dispatch({ changes: { from: 0, insert: ">> " } });
  done("![](a.png)");
  await vi.waitFor(() => { expect(view.state.doc.toString()).toBe(">> one![](a.png) two"); });
  expect(view.dom.textContent).not.toContain("Keeping");
});

test("a picture that can't be kept leaves the text as it is, and says so", async () => {
  const failed = vi.fn();
  const view = opened("one", { keep: () => Promise.reject(new Error("full")), failed });
  paste(view, {}, [new File(["x"], "a.png", { type: "image/png" })]);
  await vi.waitFor(() => { expect(failed).toHaveBeenCalledOnce(); });
  expect(view.state.doc.toString()).toBe("one");
  expect(view.dom.textContent).not.toContain("Keeping");
});

test("a picture that says its name is kept; a picture of words is not, but the words", async () => {
  const picture = new File(["x"], "a.png", { type: "image/png" });
  const named = opened("", { keep: () => Promise.resolve("![](a.png)") });
  paste(named, { "text/plain": "a.png" }, [picture]);
  await vi.waitFor(() => { expect(named.state.doc.toString()).toBe("![](a.png)"); });
  const keep = vi.fn(() => Promise.resolve("![](a.png)"));
  const office = opened("", { keep });
  paste(office, { "text/html": "<b>bold</b>", "text/plain": "bold" }, [picture]);
  expect([office.state.doc.toString(), keep.mock.calls]).toEqual(["**bold**", []]);
});
