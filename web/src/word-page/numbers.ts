/** Gives each new paragraph a number of its own, below zero until the server gives it another one. */
import type { Node } from "prosemirror-model";
import { Plugin, type Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";
import { eachParagraph, numberOf } from "./paragraphs";

/** Set on transactions that bring the page in line with the server. */
export const FROM_SERVER = "fromServer";

export function numbering(): Plugin {
  let next = -1;
  return new Plugin({
    appendTransaction(transactions, _before, state) {
      if (!transactions.some((transaction) => transaction.docChanged && !staysInside(transaction))) return null;
      const seen = new Set<number>();
      const change = state.tr;
      eachParagraph(state.doc, (node: Node, pos) => {
        const number = numberOf(node);
        if (node.attrs.locked || (number !== 0 && !seen.has(number))) {
          seen.add(number);
          return;
        }
        const cut = number > 0 ? number : (node.attrs.cut as number);
        // What is cut from a paragraph is a new one: its tracked end stays with the rest of it. It is on the sheet of what is above.
        const marks = change.doc.resolve(pos).nodeBefore?.marks;
        change.setNodeMarkup(pos, null, { ...node.attrs, number: next, cut: number === 0 ? 0 : cut, change: "", end: "", formatChange: "" }, marks);
        seen.add(next);
        next -= 1;
      });
      return change.docChanged ? change : null;
    },
  });
}

/** Whether only letters inside of paragraphs were typed or taken away. */
function staysInside(transaction: Transaction): boolean {
  if (transaction.getMeta(FROM_SERVER)) return true;
  return transaction.steps.every((step, at) => {
    if (!(step instanceof ReplaceStep)) return true;
    const doc = transaction.docs[at];
    if (!doc || step.slice.openStart > 0 || step.slice.openEnd > 0) return false;
    const isInline = step.slice.content.childCount === 0 || (step.slice.content.firstChild?.isInline ?? false);
    return isInline && doc.resolve(step.from).sameParent(doc.resolve(step.to));
  });
}
