import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { languageOf } from "./languages";

async function shown(doc: string): Promise<EditorView> {
  await languageOf("code.py")?.load();
  const support = await languageOf("a.md")?.load();
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions: support ?? [] }) });
  ensureSyntaxTree(view.state, doc.length, 5000);
  view.dispatch({ effects: [] });
  return view;
}

const coloured = (view: EditorView) => [...view.contentDOM.querySelectorAll("span[class]")].map((span) => span.textContent);

test("code in prose has the colours of its language, also in a quote, where it stands in pieces", async () => {
  const view = await shown('```python\ndef f():\n    return "a"\n```\n\n> ```{python}\n> x = """one\n> two"""\n> ```\n');
  expect(coloured(view)).toEqual(["def", "f", "return", '"a"', '"""one', 'two"""']);
  view.destroy();
});

test("the colours follow what is typed, and an unknown language stays plain", async () => {
  const view = await shown("```python\n1\n```\n\n```klingon\nreturn 1\n```\n");
  view.dispatch({ changes: { from: 10, insert: "return " } });
  expect(coloured(view)).toEqual(["return", "1"]);
  view.destroy();
});

test("Enter goes on with a list in prose, and not in code", async () => {
  const { insertNewlineContinueMarkup } = await import("@codemirror/lang-markdown");
  const view = await shown("- a\n\n```python\n- b\n```\n");
  view.dispatch({ selection: { anchor: 3 } });
  expect([insertNewlineContinueMarkup(view), view.state.sliceDoc(0, 6)]).toEqual([true, "- a\n- "]);
  view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf("b") + 1 } });
  expect([insertNewlineContinueMarkup(view), view.state.doc.toString().includes("- b\n- ")]).toEqual([false, false]);
  view.destroy();
});
