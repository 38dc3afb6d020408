/** Texts whose lines are rows of cells: where each row and cell is, and a cell written anew without touching anything else. */

export interface CellPlace {
  /** Where the cell's own characters are in the text, quotes included. */
  from: number;
  to: number;
  value: string;
  isQuoted: boolean;
}

export interface DelimitedText {
  text: string;
  delimiter: string;
  /** Where each row begins. */
  starts: readonly number[];
}

const DELIMITERS = [",", ";", "\t", "|"] as const;
/** So much of a text tells what separates its cells. */
const SAMPLE = 20_000;

/** What separates the cells: of a .tsv the tab, else what stands most often in the first lines, outside of quotes. */
export function delimiterOf(text: string, path: string): string {
  if (/\.tsv$/i.test(path)) return "\t";
  const counts = new Map<string, number>(DELIMITERS.map((one) => [one, 0]));
  let isQuoted = false;
  for (const sign of text.slice(0, SAMPLE)) {
    if (sign === '"') isQuoted = !isQuoted;
    const known = isQuoted ? undefined : counts.get(sign);
    if (known !== undefined) counts.set(sign, known + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** Finds the rows. A line that ends inside of quotes goes on in the next one. */
export function readDelimited(text: string, delimiter: string): DelimitedText {
  const starts: number[] = [];
  for (let at = 0; at < text.length;) {
    starts.push(at);
    at = rowEnd(text, at, delimiter) + 1;
  }
  return { text, delimiter, starts };
}

/** Where a row ends: at its line break, or at the end of the text. */
function rowEnd(text: string, start: number, delimiter: string): number {
  let at = start;
  for (;;) {
    at = cellEnd(text, at);
    const line = text.indexOf("\n", at);
    const next = text.indexOf(delimiter, at);
    if (line < 0 && next < 0) return text.length;
    if (next < 0 || (line >= 0 && line < next)) return line < 0 ? text.length : line;
    at = next + 1;
  }
}

/** Behind the quotes of a cell that begins with them, else where it begins. */
function cellEnd(text: string, start: number): number {
  if (text[start] !== '"') return start;
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    if (text[quote + 1] !== '"') return quote + 1;
    at = quote + 2;
  }
}

/** The cells of a row. */
export function cellsOf({ text, delimiter, starts }: DelimitedText, row: number): CellPlace[] {
  const start = starts[row];
  if (start === undefined) return [];
  const end = rowEnd(text, start, delimiter);
  const cells: CellPlace[] = [];
  for (let from = start; ;) {
    const next = text.indexOf(delimiter, cellEnd(text, from));
    const to = next < 0 || next > end ? end : next;
    cells.push(placeOf(text, from, to));
    if (to === end) return cells;
    from = to + 1;
  }
}

function placeOf(text: string, from: number, to: number): CellPlace {
  const raw = text.slice(from, to);
  const isQuoted = raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"');
  return { from, to, value: isQuoted ? raw.slice(1, -1).replaceAll('""', '"') : raw, isQuoted };
}

/** A value as the cell's own characters: quoted as before, or where it must be. */
export function written(value: string, { isQuoted }: CellPlace, delimiter: string): string {
  const mustBe = value.includes(delimiter) || value.includes("\n") || value.startsWith('"');
  return isQuoted || mustBe ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Rows in the order of a column: numbers by size, words by the alphabet, what is empty last. The text stays as it is. */
export function sortedRows(table: DelimitedText, column: number, descending: boolean, first: number): Uint32Array {
  const values = table.starts.map((_, row) => cellsOf(table, row)[column]?.value ?? "");
  const numbers = values.map((value) => (value.trim() === "" ? Number.NaN : Number(value.trim())));
  const words = new Intl.Collator([], { numeric: true, sensitivity: "base" });
  const rows = Uint32Array.from({ length: Math.max(0, values.length - first) }, (_, at) => at + first);
  const sign = descending ? -1 : 1;
  return rows.sort((one, other) => {
    const [a = "", b = ""] = [values[one], values[other]];
    if (a === "" || b === "") return a === b ? one - other : a === "" ? 1 : -1;
    const [x = Number.NaN, y = Number.NaN] = [numbers[one], numbers[other]];
    const order = Number.isNaN(x) || Number.isNaN(y) ? words.compare(a, b) : x - y;
    return order === 0 ? one - other : sign * order;
  });
}
