/** The lines of a unified diff, for the eye. */

export type DiffKind = "added" | "removed" | "place";

export interface DiffLine {
  readonly text: string;
  /** None for a line that is as it was. */
  readonly kind: DiffKind | undefined;
}

const KINDS: Readonly<Record<string, DiffKind>> = { "+": "added", "-": "removed", "@": "place" };

/** The lines without the two names above them: a line further down may look like one, and counts. */
export function diffLines(text: string): DiffLine[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const isNamed = lines[0]?.startsWith("--- ") === true && lines[1]?.startsWith("+++ ") === true;
  return lines.slice(isNamed ? 2 : 0).map((line) => ({ text: line, kind: KINDS[line.charAt(0)] }));
}

/** Lines that stay, or a passage as it was and as it is. */
export type DiffPart = { readonly kept: string } | { readonly old: string; readonly fresh: string };

/** A diff as passages, each old one beside its new one; where its hunks begin is left out. */
export function diffParts(text: string): DiffPart[] {
  const parts: DiffPart[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let kept: string[] = [];
  const endChange = () => {
    if (removed.length + added.length > 0) parts.push({ old: removed.join("\n"), fresh: added.join("\n") });
    removed = [];
    added = [];
  };
  const endKept = () => {
    if (kept.length > 0) parts.push({ kept: kept.join("\n") });
    kept = [];
  };
  for (const { text: line, kind } of diffLines(text)) {
    const isChanged = kind === "removed" || kind === "added";
    if (isChanged) endKept();
    else endChange();
    if (kind === "removed") removed.push(line.slice(1));
    else if (kind === "added") added.push(line.slice(1));
    else if (kind === undefined) kept.push(line.replace(/^ /, ""));
  }
  endChange();
  endKept();
  return parts;
}
