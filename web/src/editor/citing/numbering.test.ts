import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { renderedSyntax } from "../rendered";
import { crossReferences } from "./cross-references";
import { numberingOf, referenceText } from "./numbering";

const TEXT = `---
lang: LANG
---

# Method {#sec:method .unnumbered}

![Without a label](a.png)

- ![A gauge](b.png){#fig:gauge width=10%}

![](c.png) and ![not alone](d.png){#fig:not}

| a | b |
|---|---|
| 1 | 2 |

: Lengths {#tbl:len}

Table: Before it {#tbl:before}

| a | b |
|---|---|
| 1 | 2 |

Term
: What it means

$$a$$ {#eq:a}

$$
b
$$ {#eq:b}

\`\`\`{#lst:code .python}
![In code](e.png){#fig:code}
\`\`\`
`;
const stateOf = (doc: string) => EditorState.create({ doc, extensions: markdown({ base: markdownLanguage, extensions: renderedSyntax }) });
const inLanguage = (language: string) => numberingOf(stateOf(TEXT.replace("LANG", language)));

test("figures, tables, equations and listings are counted as publishing counts them", () => {
  expect([...inLanguage("en").numbers]).toEqual([["sec:method", "“Method”"], ["fig:gauge", "2"], ["tbl:len", "1"], ["tbl:before", "2"], ["eq:a", "1"], ["eq:b", "2"], ["lst:code", "1"]]);
  expect(numberingOf(stateOf("![No labels](a.png)\n")).labels).toEqual([]);
});

test.each([
  ["en", "@fig:gauge", "Figure 2"],
  ["en", "[see @fig:gauge, left; @tbl:len; -@eq:b]", "see Figure 2, left, Table 1 and 2"],
  ["de", "[@sec:method; @{lst:code}]", "Abschnitt “Method” und Listing 1"],
  ["en", "[@fig:gauge; @fig:none]", null],
])("a reference says what is printed: %s %s", (language, reference, said) => {
  expect(referenceText(reference, inLanguage(language))?.replaceAll("\u00a0", " ") ?? null).toBe(said);
});

test("labels are hidden and references read as printed, but where the cursor is", () => {
  const doc = "See @fig:gauge and @fig:none, `@fig:gauge`.\n\n# Method {#sec:m}\n\n![A](b.png){#fig:gauge}\n\n| a |\n|---|\n\n: Lengths {#tbl:len}\n";
  const state = stateOf(doc).toJSON() as object;
  let isRendered = true;
  const view = new EditorView({ parent: document.body, state: EditorState.fromJSON(state, { extensions: [markdown({ base: markdownLanguage, extensions: renderedSyntax }), crossReferences(() => isRendered)] }) });
  ensureSyntaxTree(view.state, doc.length, 60_000);
  view.dispatch({ selection: { anchor: doc.length } });
  const lines = () => [...view.contentDOM.children].map((line) => line.textContent.replaceAll("\u00a0", " ")).filter((line) => line !== "");
  expect(lines()).toEqual(["See Figure 1 and @fig:none, `@fig:gauge`.", "# Method", "![A](b.png) Figure 1", "| a |", "|---|", "Table 1. Lengths"]);
  expect(view.contentDOM.querySelector(".cm-cite-unknown")?.textContent).toBe("fig:none");
  view.focus();
  view.dispatch({ selection: { anchor: doc.indexOf("Method") } });
  expect(lines()[1]).toBe("# Method {#sec:m}");
  isRendered = false;
  view.dispatch({ selection: { anchor: 0 } });
  expect(lines()[0]).toContain("@fig:gauge and");
  view.destroy();
});

test("a key in a long text without labels looks only at the lines around it", () => {
  const text = Text.of(Array.from({ length: 2_000 }, () => ["```python", "fit()", "```", "![a](b.png)"]).flat());
  numberingOf(EditorState.create({ doc: text }));
  const lines = vi.spyOn(Object.getPrototypeOf(Text.empty) as Text, "children", "get");
  expect(numberingOf(EditorState.create({ doc: text.replace(3, 3, Text.of(["x"])) })).labels).toEqual([]);
  const asked = lines.mock.calls.length;
  lines.mockRestore();
  expect(asked).toBeLessThan(10);
});
