/** The list of a person's own transforms, changed one step at a time. */
import type { OwnTransform } from "../../api";

export const MOST_TRANSFORMS = 20;
const LONGEST_TITLE = 60;
const LONGEST_PROMPT = 2000;

type List = readonly OwnTransform[];

/** The list with one moved up or down; at an end it stays. */
export function moved(list: List, index: number, step: 1 | -1): OwnTransform[] {
  const [one, other] = [list[index], list[index + step]];
  return one && other ? list.map((item, at) => (at === index ? other : at === index + step ? one : item)) : [...list];
}

/** The list with another one at a place; a place after the last adds it. */
export function placed(list: List, index: number, one: OwnTransform): OwnTransform[] {
  return [...list.slice(0, index), one, ...list.slice(index + 1)];
}

export function without(list: List, index: number): OwnTransform[] {
  return list.filter((_, at) => at !== index);
}

/** What is wrong with a transform, or nothing. */
export function faultOf({ title, prompt }: OwnTransform): string {
  if (title.trim() === "" || prompt.trim() === "") return "Give it a name, and say what is to be done.";
  if (title.trim().length > LONGEST_TITLE) return `The name has more than ${String(LONGEST_TITLE)} characters.`;
  return prompt.trim().length > LONGEST_PROMPT ? `The request has more than ${LONGEST_PROMPT.toLocaleString("en")} characters.` : "";
}
