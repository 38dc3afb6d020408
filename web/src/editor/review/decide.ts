/** Accepting and rejecting from the editor: by cursor or by button, and once more when the text was quicker. */
import { EditorSelection, type EditorState } from "@codemirror/state";
import { type Command, EditorView } from "@codemirror/view";
import { type Edit, editAt, startOf } from "./edits";
import { editsIn } from "./field";
import { type ReviewSource, reviewing, type Verdict } from "./options";

/** How long to wait, in milliseconds, for news of a text that has changed, and how often. Shorter, and a busy computer would drop the decision. */
const PATIENCE_MS = 20_000;
const TRIES = 3;
const DONE: Record<Verdict, string> = { accept: "Accepted", reject: "Rejected" };

/** Decides an edit. What was just typed in it may not have been counted yet: then it is looked at again. */
export async function decide(view: EditorView, edit: Edit, verdict: Verdict): Promise<void> {
  const context = view.state.facet(reviewing);
  if (!context) return;
  const { source } = context;
  const left = editsIn(view.state).length - 1;
  const place = source.follow(startOf(edit));
  let now: Edit | null = edit;
  for (let tries = 0; tries < TRIES && now && source.review !== null; tries += 1) {
    const answer = await context.decide(source.review, now.hunks, verdict);
    if (answer === "done") view.dispatch({ effects: EditorView.announce.of(`${DONE[verdict]}. ${leftText(left)}`) });
    if (answer !== "changed") return;
    if (isSame(here(view, place()), now)) await news(source);
    now = here(view, place());
  }
}

function leftText(left: number): string {
  if (left === 0) return "Nothing is left to review in this text.";
  return `${String(left)} ${left === 1 ? "edit" : "edits"} left to review.`;
}

function here(view: EditorView, at: number): Edit | null {
  const { doc } = view.state;
  return editAt(doc, editsIn(view.state), Math.min(at, doc.length));
}

function isSame(one: Edit | null, other: Edit): boolean {
  return one?.hunks.join() === other.hunks.join();
}

function news(source: ReviewSource): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = source.onReview(done);
    const timer = setTimeout(done, PATIENCE_MS);
  });
}

/** Decides the edit at the cursor; where there is none, the key means what it always means. */
export function decideHere(verdict: Verdict): Command {
  return (view) => {
    const edit = here(view, view.state.selection.main.head);
    if (!edit) return false;
    decide(view, edit, verdict).catch(console.error);
    return true;
  };
}

/** The index after, or before, the edit or the place where the cursor is. */
function stepFrom({ doc, selection }: EditorState, edits: readonly Edit[], step: 1 | -1): number {
  const { head } = selection.main;
  const current = editAt(doc, edits, head);
  if (current) return edits.indexOf(current) + step;
  const next = edits.findIndex((edit) => startOf(edit) >= head);
  const after = next < 0 ? edits.length : next;
  return step > 0 ? after : after - 1;
}

/** Goes to the next or the previous edit, round the end. */
export function goToEdit(step: 1 | -1): Command {
  return (view) => {
    const edits = editsIn(view.state);
    const edit = edits[(stepFrom(view.state, edits, step) + edits.length) % edits.length];
    return edit ? goTo(view, edit) : false;
  };
}

export function goToFirstEdit(view: EditorView): boolean {
  const [first] = editsIn(view.state);
  return first ? goTo(view, first) : false;
}

function goTo(view: EditorView, edit: Edit): boolean {
  const cursor = EditorSelection.cursor(startOf(edit));
  view.dispatch({ selection: cursor, effects: EditorView.scrollIntoView(cursor, { y: "center" }), userEvent: "select" });
  view.focus();
  return true;
}
