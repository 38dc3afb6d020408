import { expect, test } from "vitest";
import type { WordClient, WordPage } from "../../api";
import { WordDocument } from "./word-document.svelte";

function paragraph(number: number): WordPage["blocks"][number] {
  return { kind: "paragraph", number, text: `Paragraph ${String(number)}.` };
}

function pageOf(hash: string, blocks: WordPage["blocks"], more: Partial<WordPage> = {}): WordPage {
  const frame = { isTracking: false, changes: [], comments: [], styles: [], refusal: "" } as unknown as WordPage["frame"];
  return { hash, blocks, frame, openedBy: "", isElsewhere: false, author: "Ada", isWhole: true, start: 0, end: 0, ...more };
}

/** A document whose server answers these pages, one after the other, and what it was asked. */
function reading(...pages: WordPage[]) {
  const asked: string[] = [];
  const client = { page: (_project: string, _path: string, _tab: string, shown: string) => { asked.push(shown); return Promise.resolve(pages.shift()); } };
  return { asked, word: new WordDocument({ client: client as unknown as WordClient, projectId: "p", path: "a.docx", tab: "one" }) };
}

test("of a document that is shown only what is other is read; the rest stays the very same", async () => {
  const first = pageOf("1", [1, 2, 3].map(paragraph));
  const { word, asked } = reading(first, pageOf("2", [paragraph(20), paragraph(21)], { isWhole: false, start: 1, end: 2 }), pageOf("2", [], { isWhole: false, start: 3, end: 3 }));
  const shown = await word.read();
  const second = await word.read(shown);
  const third = await word.read(second);

  expect(asked).toEqual(["", "1", "2"]);
  expect(second?.blocks).toEqual([1, 20, 21, 3].map(paragraph));
  expect(second?.blocks[3]).toBe(first.blocks[2]);
  // Nothing is other: nothing that is drawn from it is drawn anew.
  expect(third?.frame).toBe(second?.frame);
  expect(word.frame).toBe(second?.frame);
});

test("what the server does not know any more is read whole", async () => {
  const { word } = reading(pageOf("9", [paragraph(7)]));
  const page = await word.read({ ...pageOf("1", [paragraph(1)]) });
  expect(page?.blocks).toEqual([paragraph(7)]);
});
