/** The mark between cells is no character of any: a model may suggest one, or a person put one in the place of words. */
import { EditorState, Transaction } from "@codemirror/state";
import { MARK } from "./cells-text";

/** What is written here must not hold one; what comes from the shared text may. */
export const withoutMarks = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(Transaction.userEvent) === undefined) return transaction;
  const written: string[] = [];
  transaction.changes.iterChanges((_from, _to, _fromNew, _toNew, inserted) => { written.push(inserted.toString()); });
  return written.some((words) => words.includes(MARK)) ? [] : transaction;
});
