// @vitest-environment jsdom
import { Slice, Fragment } from "prosemirror-model";
import { EditorState, Plugin, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { expect, test } from "vitest";
import { Session, type Splice } from "./session";
import type { Ghost } from "../ghost/ghost";
import { schema } from "./schema";
import { GHOST } from "./suggestion";
import { type Taken, takenIn } from "./taken";

const GHOSTLY: Ghost = { phase: "active", request: 1, at: 4, asked: true, isLate: false, taken: "", accepted: 0, items: [{ id: "s1", index: 0, text: " and more", confidence: "" }], index: 0 };
const BLOCK = { kind: "paragraph" as const, number: 1, text: "one", pieces: [{ text: "one" }] };

test("what is pasted or taken over is told with the edits that it is in", async () => {
  const heard: Taken[][] = [];
  let refuses = true;
  const view = new EditorView(null, { state: EditorState.create({
    doc: schema.node("doc", null, [schema.node("paragraph", { number: 1 }, [schema.text("one")])]),
    plugins: [new Plugin({ key: GHOST, state: { init: () => GHOSTLY, apply: (_change, ghost: Ghost) => ghost } })],
  }) });
  const session = new Session(view, { hash: "1", frame: { styles: [] }, blocks: [BLOCK] }, {
    edit: (_hash, _edits, taken) => {
      heard.push(taken);
      if (refuses) return Promise.reject(new Error("no"));
      return Promise.resolve({ hash: "2", frame: { styles: [] }, blocks: [], isWhole: false, start: 0, end: 0, made: [], conflicts: [] } satisfies Splice<{ styles: [] }>);
    },
    pictureAt: () => "", onPage: () => undefined, onConflicts: () => undefined, onStanding: () => undefined,
  });
  const dispatch = (change: Transaction) => {
    const taken = takenIn(change, view.state);
    view.updateState(view.state.apply(change));
    session.onTransaction(change, taken);
  };
  dispatch(view.state.tr.insertText(" typed", 4));
  dispatch(view.state.tr.insertText(" and more", 10).setMeta(GHOST, { is: "accept", text: " and more", whole: true }));
  const pasted = new Slice(Fragment.from([schema.node("paragraph", null, [schema.text("from")]), schema.node("paragraph", null, [schema.text("elsewhere")])]), 1, 1);
  dispatch(view.state.tr.replace(4, 4, pasted).setMeta("paste", true));

  await session.push();
  refuses = false;
  await session.push();
  session.close();

  const told = [{ text: " and more", suggestion: "s1" }, { text: "from" }, { text: "elsewhere" }];
  expect(heard).toEqual([told, told]);
});
