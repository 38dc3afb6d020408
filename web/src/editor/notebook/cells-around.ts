/** What stands in the other cells, as text that goes on into one of them: what a suggestion there is made from. */
import type { Cell } from "./cells-text";

/** More than is sent: the rest would be cut off. */
const ENOUGH = 8_192;

export interface CellsAround {
  before: string;
  after: string;
}

/** The cells before and after one: text as comments around code, code in fences around text. */
export function cellsAround(cells: readonly Cell[], id: string, language: string | null): CellsAround {
  const at = cells.findIndex((cell) => cell.id === id);
  const kind = cells[at]?.kind;
  const comment = language !== null && ["JavaScript", "TypeScript"].includes(language) ? "// " : "# ";
  const told = (cell: Cell): string => {
    if ((kind === "code") === (cell.kind === "code")) return cell.source;
    return kind === "code" ? cell.source.replace(/^/gm, comment) : `\`\`\`\n${cell.source}\n\`\`\``;
  };
  const near = (found: Iterable<Cell>): string[] => {
    const parts: string[] = [];
    let length = 0;
    for (const cell of found) {
      if (length >= ENOUGH) break;
      if (cell.source.trim() === "") continue;
      const part = told(cell);
      length += part.length;
      parts.push(part);
    }
    return parts;
  };
  return {
    before: near(cells.slice(0, Math.max(0, at)).reverse()).reverse().map((part) => `${part}\n\n`).join(""),
    after: near(cells.slice(at + 1)).map((part) => `\n\n${part}`).join(""),
  };
}
