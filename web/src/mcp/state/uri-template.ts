/** The addresses of a server's resources by their parts: `memo://{name}`. */

/** The part of an address that is being written. */
export interface OpenVariable {
  name: string;
  value: string;
  /** What stands before it. */
  before: string;
  /** The plain text behind it, up to the next variable. */
  after: string;
  /** Whether another variable follows. */
  hasMore: boolean;
  /** What was written of the variables before it. */
  known: Record<string, string>;
}

/** It never reads a letter twice: a server writes what it is looked for in. */
const VARIABLE = /\{([^{}]*)\}/g;

/** The plain text that an address of this form begins with. */
export function beginningOf(template: string): string {
  const at = template.search(VARIABLE);
  return at === -1 ? template : template.slice(0, at);
}

/** The variable in which an address ends so far; null when it is not of this form, or ends in plain text. */
export function openVariable(template: string, uri: string): OpenVariable | null {
  const found = [...template.matchAll(VARIABLE)];
  const begin = beginningOf(template);
  if (!uri.startsWith(begin)) return null;
  let at = begin.length;
  const known: Record<string, string> = {};
  for (const [index, match] of found.entries()) {
    const next = found[index + 1];
    const after = template.slice(match.index + match[0].length, next?.index);
    const end = after === "" ? -1 : uri.indexOf(after, at);
    const name = (match[1] ?? "").replace(/^[+#./;?&]/, "").split(/[:*,]/, 1)[0] ?? "";
    if (end === -1) return { name, value: uri.slice(at), before: uri.slice(0, at), after, hasMore: next !== undefined, known };
    known[name] = uri.slice(at, end);
    at = end + after.length;
  }
  return null;
}
