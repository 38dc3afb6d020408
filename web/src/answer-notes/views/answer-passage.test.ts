import { expect, test } from "vitest";
import { findPassage, firstPassage, selectedPassage } from "./answer-passage";

/** An answer in two parts, as it is drawn: text in elements, in elements. */
function answer(...parts: { entryId: string; blocks: string[][] }[]): HTMLElement {
  const article = document.createElement("article");
  for (const { entryId, blocks } of parts) {
    const part = document.createElement("div");
    part.dataset["answerEntry"] = entryId;
    for (const words of blocks) {
      const block = document.createElement("p");
      for (const word of words) {
        const piece = document.createElement("em");
        piece.textContent = word;
        block.append(piece);
      }
      part.append(block);
    }
    article.append(part);
  }
  document.body.replaceChildren(article);
  return article;
}

function select(from: Node | null | undefined, start: number, to: Node | null | undefined, end: number): Selection {
  const selection = document.getSelection();
  if (!selection || !from || !to) throw new Error("There is nothing to select.");
  selection.setBaseAndExtent(from, start, to, end);
  return selection;
}

test("the same words further on are told apart, and found again", () => {
  const drawn = answer({ entryId: "e1", blocks: [["The moon ", "pulls."], ["The ", "moon turns."]] });
  const [, second] = drawn.querySelectorAll("p");
  const selection = select(second?.children[0]?.firstChild, 0, second?.children[1]?.firstChild, 4);
  const passage = selectedPassage(selection, drawn);
  expect(passage).toEqual({ entryId: "e1", text: "The moon", occurrence: 1 });
  const range = passage && findPassage(drawn, passage);
  expect([range?.toString(), second?.contains(range?.startContainer ?? null)]).toEqual(["The moon", true]);
});

test("a passage over several blocks is found, whatever space is between them", () => {
  const drawn = answer({ entryId: "e1", blocks: [["First."], ["Second."]] });
  expect(findPassage(drawn, { entryId: "e1", text: "st.\n\nSec", occurrence: 0 })?.toString()).toBe("st.Sec");
});

test("words that are not there, or not that often, are nowhere", () => {
  const drawn = answer({ entryId: "e1", blocks: [["Once."]] });
  expect([findPassage(drawn, { entryId: "e1", text: "Twice", occurrence: 0 }), findPassage(drawn, { entryId: "e1", text: "Once", occurrence: 1 }), findPassage(drawn, { entryId: "e2", text: "Once", occurrence: 0 }), findPassage(drawn, { entryId: "e1", text: " ", occurrence: 0 })]).toEqual([null, null, null, null]);
});

test("a selection that ends below the answer reaches to its end", () => {
  const drawn = answer({ entryId: "e1", blocks: [["One."], ["Two."]] });
  const below = document.createElement("p");
  drawn.append(below);
  const [, second] = drawn.querySelectorAll("em");
  expect(selectedPassage(select(second?.firstChild, 0, below, 0), drawn)).toEqual({ entryId: "e1", text: "Two.", occurrence: 0 });
});

test("a selection over two answers, or of nothing, is no passage", () => {
  const drawn = answer({ entryId: "e1", blocks: [["One."]] }, { entryId: "e2", blocks: [["Two."]] });
  const [first, second] = drawn.querySelectorAll("em");
  expect(selectedPassage(select(first?.firstChild, 0, second?.firstChild, 2), drawn)).toBeNull();
  expect(selectedPassage(select(first?.firstChild, 1, first?.firstChild, 1), drawn)).toBeNull();
  expect(selectedPassage(select(first?.firstChild, 0, first?.firstChild, 2), document.createElement("div"))).toBeNull();
});

test("without a selection an answer is meant by how it begins", () => {
  expect(firstPassage(answer({ entryId: "e1", blocks: [["One", " block."], ["More."]] }))).toEqual({ entryId: "e1", text: "One block.", occurrence: 0 });
  expect(firstPassage(answer())).toBeNull();
});
