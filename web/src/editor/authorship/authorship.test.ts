import { ChangeSet, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { authorship, type AuthorLook, setAuthored } from ".";
import { carry, spanAt } from "./spans";

const SPANS = [{ from: 0, to: 4, author: 0 }, { from: 4, to: 9, author: 1 }];

test.each([
  ["typed before", { from: 0, insert: "ab" }, [{ from: 2, to: 6, author: 0 }, { from: 6, to: 11, author: 1 }]],
  ["typed inside one", { from: 6, insert: "x" }, [{ from: 0, to: 4, author: 0 }, { from: 4, to: 6, author: 1 }, { from: 7, to: 10, author: 1 }]],
  ["typed between two", { from: 4, insert: "x" }, [{ from: 0, to: 4, author: 0 }, { from: 5, to: 10, author: 1 }]],
  ["removed over the edge", { from: 2, to: 6, insert: "" }, [{ from: 0, to: 2, author: 0 }, { from: 2, to: 5, author: 1 }]],
  ["all replaced", { from: 0, to: 9, insert: "new" }, []],
])("what is %s belongs to nobody known", (_how, change, expected) => {
  expect(carry(SPANS, ChangeSet.of(change, 9))).toEqual(expected);
});

test("a place belongs to the stretch of its character", () => {
  expect([0, 3, 4, 8, 9].map((at) => spanAt(SPANS, at)?.author ?? null)).toEqual([0, 0, 1, 1, null]);
});

function look(name: string, mark: string): AuthorLook {
  return { name, mark, facts: [], more: null };
}

test("an author's text is marked, typed words inside it are not, and the cursor's author is told", () => {
  const told: (string | null)[] = [];
  const view = new EditorView({ state: EditorState.create({ doc: "One two three", extensions: authorship((found) => told.push(found?.name ?? null)) }) });
  view.dispatch({ effects: setAuthored.of({ spans: [{ from: 0, to: 4, author: 0 }, { from: 4, to: 13, author: 1 }], looks: [look("You", ""), look("Sonnet", "author-ai")] }) });
  view.dispatch({ changes: { from: 7, insert: " and" }, selection: { anchor: 12 } });
  const marked = [...view.contentDOM.querySelectorAll(".author-ai")].map((span) => span.textContent);
  expect({ marked, told }).toEqual({ marked: ["two", " three"], told: ["You", "Sonnet"] });
  view.destroy();
});
