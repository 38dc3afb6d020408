/** What there is to know before a document is published. */
export interface Concern { words: string; isWarning: boolean; leadsTo: "citations" | "review" | null }

interface Sources { count: number; unknown: readonly string[] }

/** What the library has of a text's citations, its claims without a source, and its edits that wait. */
export function concernsOf(cited: Sources | undefined, claims: number, edits: number, takesEdits: boolean): readonly Concern[] {
  const found: Concern[] = [];
  if (cited && cited.count > 0 && cited.unknown.length === 0) found.push({ words: `${counted(cited.count, "citation")} found in the library`, isWarning: false, leadsTo: null });
  if (cited && cited.unknown.length > 0) found.push({ words: `Not in the library: ${cited.unknown.join(", ")}`, isWarning: true, leadsTo: "citations" });
  if (claims > 0) found.push({ words: `${counted(claims, "claim")} marked [citation?]`, isWarning: true, leadsTo: "citations" });
  if (edits > 0) found.push({ words: `${counted(edits, "edit")} to review ${edits === 1 ? "is" : "are"} ${takesEdits ? "taken in" : "left out"}`, isWarning: true, leadsTo: "review" });
  return found;
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}
