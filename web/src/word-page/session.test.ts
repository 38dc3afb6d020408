import { EditorState, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { expect, test } from "vitest";
import { documentOf } from "./building";
import type { Block } from "./model";
import { aroundOf, type Frame, type Page, Session } from "./session";
import { lettersOf } from "./schema";

const FRAME: Frame = { styles: [] };

function pictured(number: number, text: string): Block {
  return { kind: "paragraph", number, text, pieces: [{ text }, { kind: "picture", text: "[picture]", part: `${String(number)}.png` }] };
}

/** A page whose view is its state, and what was made anew: each paragraph has a picture that is asked for. */
function desk(page: Page<Frame>) {
  const made: string[] = [];
  const pictureAt = (part: string) => { made.push(part); return part; };
  const view = {
    state: EditorState.create({ doc: documentOf(page.blocks, aroundOf(page.frame, pictureAt)) }),
    dispatch(change: Transaction) { this.state = this.state.apply(change); },
  };
  const none = () => { /* Nobody listens. */ };
  const session = new Session(view as unknown as EditorView, page, { pictureAt, edit: () => Promise.reject(new Error("not asked")), onPage: none, onConflicts: none, onStanding: none });
  made.length = 0;
  return { view, session, made };
}

test("what others changed in a long document is made anew, and nothing else of it", async () => {
  const blocks = Array.from({ length: 2000 }, (_, at) => pictured(at + 1, `Paragraph ${String(at + 1)}.`));
  const { view, session, made } = desk({ hash: "1", frame: FRAME, blocks });
  const before = view.state.doc;

  const now = [...blocks.slice(0, 999), pictured(1000, "Paragraph 1000, changed."), ...blocks.slice(1000)];
  await session.show({ hash: "2", frame: { styles: [] }, blocks: now });

  expect(made).toEqual(["1000.png"]);
  expect(lettersOf(view.state.doc.child(999))).toContain("1000, changed.");
  expect(before.children.filter((node, at) => view.state.doc.child(at) !== node)).toHaveLength(1);
});
