/** Reads the alternatives a model proposes from the arguments of its call. */
import type { CallArguments } from "../api";

export interface Proposal {
  title: string;
  question: string;
  alternatives: { label: string; text: string }[];
}

/** Null while the arguments hold no alternatives. */
export function readProposal(given: CallArguments): Proposal | null {
  const list = given["alternatives"];
  if (!Array.isArray(list)) return null;
  const alternatives = list.flatMap((item: unknown) => {
    const label = textIn(item, "label");
    const text = textIn(item, "text") || label;
    return text === "" ? [] : [{ label: label || text, text }];
  });
  if (alternatives.length === 0) return null;
  return { title: textIn(given, "title") || "Alternatives", question: textIn(given, "question"), alternatives };
}

function textIn(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null) return "";
  const found = new Map<string, unknown>(Object.entries(value)).get(name);
  return typeof found === "string" ? found.trim() : "";
}
