/** Passages of answers: which one is selected, and where one that has a comment stands now. Space between words does not count. */

export interface AnswerPassage {
  entryId: string;
  text: string;
  /** How many times the same words stand before it in the answer. */
  occurrence: number;
}

const PARTS = "[data-answer-entry]";

/** The selected passage of one answer; null when nothing is selected, or more than one answer. */
export function selectedPassage(selection: Selection | null, inside: Element): AnswerPassage | null {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0).cloneRange();
  const [first, last] = [partOf(range.startContainer), partOf(range.endContainer)];
  const entryId = first?.dataset["answerEntry"];
  if (!first || entryId === undefined || !inside.contains(first) || (last && last.dataset["answerEntry"] !== entryId)) return null;
  const parts = partsOf(inside, entryId);
  if (last) return passageOf(parts, entryId, range, selection.toString());
  // Three clicks select a paragraph up to where the next begins, which may be no part of the answer.
  range.setEndAfter(parts.at(-1) ?? first);
  return passageOf(parts, entryId, range, range.toString());
}

/** How an answer begins, for whoever has no pointer to select with. */
export function firstPassage(answer: Element): AnswerPassage | null {
  const part = answer.querySelector<HTMLElement>(PARTS);
  const entryId = part?.dataset["answerEntry"];
  const text = part?.firstElementChild?.textContent.trim() ?? "";
  return entryId === undefined || text === "" ? null : { entryId, text, occurrence: 0 };
}

/** Where a passage stands in an answer; null when its words are not there. */
export function findPassage(inside: Element, { entryId, text, occurrence }: AnswerPassage): Range | null {
  const letters = lettersOf(partsOf(inside, entryId));
  const wanted = bare(text);
  let at = wanted === "" ? -1 : letters.text.indexOf(wanted);
  for (let skipped = 0; skipped < occurrence && at >= 0; skipped += 1) at = letters.text.indexOf(wanted, at + 1);
  const [start, end] = [letters.places[at], letters.places[at + wanted.length - 1]];
  if (at < 0 || !start || !end) return null;
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(end.node, end.offset + 1);
  return range;
}

function passageOf(parts: readonly Element[], entryId: string, range: Range, said: string): AnswerPassage | null {
  const letters = lettersOf(parts);
  const at = letters.places.findIndex(({ node, offset }) => range.comparePoint(node, offset) >= 0);
  const wanted = bare(said);
  if (at < 0 || wanted === "") return null;
  let occurrence = 0;
  for (let before = letters.text.indexOf(wanted); before >= 0 && before < at; before = letters.text.indexOf(wanted, before + 1)) occurrence += 1;
  return { entryId, text: said.trim(), occurrence };
}

function partOf(node: Node): HTMLElement | null {
  return (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>(PARTS) ?? null;
}

function partsOf(inside: Element, entryId: string): Element[] {
  return [...inside.querySelectorAll<HTMLElement>(PARTS)].filter((part) => part.dataset["answerEntry"] === entryId);
}

interface Letters {
  text: string;
  /** Where each of them stands. */
  places: { node: Text; offset: number }[];
}

function lettersOf(parts: readonly Element[]): Letters {
  const places: Letters["places"] = [];
  let text = "";
  for (const part of parts) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
      for (const { 0: letter, index } of node.data.matchAll(/\S/g)) {
        text += letter;
        places.push({ node, offset: index });
      }
    }
  }
  return { text, places };
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
