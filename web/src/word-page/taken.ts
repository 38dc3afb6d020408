/** What a person did not type: pasted, or taken over from a suggestion. It has other authors than what is typed. */
import type { EditorState, Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";
import { GHOST, ghostOf, type PageNews } from "./suggestion";

export interface Taken {
  text: string;
  suggestion?: string;
}

/** What a change of the page took from elsewhere, paragraph by paragraph. */
export function takenIn(transaction: Transaction, before: EditorState): Taken[] {
  const news = transaction.getMeta(GHOST) as PageNews | undefined;
  if (news?.is === "accept") {
    const ghost = ghostOf(before);
    const suggestion = ghost?.items[ghost.index]?.id;
    return suggestion === undefined ? [] : lines(news.text).map((text) => ({ text, suggestion }));
  }
  return transaction.getMeta("paste") === true || transaction.getMeta("uiEvent") === "paste" ? pasted(transaction).map((text) => ({ text })) : [];
}

function pasted(transaction: Transaction): string[] {
  return transaction.steps.flatMap((step) => (step instanceof ReplaceStep ? lines(step.slice.content.textBetween(0, step.slice.content.size, "\n")) : []));
}

function lines(text: string): string[] {
  return text.split(/\n+/).filter((line) => line.trim() !== "");
}
