/** A Word document as the server tells of it, and what is told back. What is left out is as usual. */
export interface Piece {
  text: string;
  kind?: "text" | "deleted" | "kept" | "picture" | "break" | "pageBreak" | "note" | "formula";
  bold?: boolean | null;
  italic?: boolean | null;
  underline?: boolean | null;
  strike?: boolean | null;
  script?: "" | "super" | "sub";
  colour?: string;
  highlight?: string;
  size?: number;
  style?: string;
  link?: string;
  change?: string;
  formatChange?: string;
  comments?: string[];
  part?: string;
  width?: number;
  height?: number;
  why?: string;
}

export interface Paragraph {
  kind: "paragraph";
  number: number;
  text?: string;
  style?: string;
  align?: string;
  indent?: number;
  marker?: string;
  level?: number;
  pieces?: Piece[];
  change?: string;
  end?: "" | "inserted" | "deleted";
  formatChange?: string;
}

export interface Cell {
  blocks: Block[];
  columns?: number;
  rows?: number;
}

export interface Row {
  cells: Cell[];
  change?: string;
  what?: "" | "inserted" | "deleted";
  isHead?: boolean;
}

export interface Table {
  kind: "table";
  rows: Row[];
}

export type Block = Paragraph | Table;

export interface PageStyle {
  id: string;
  name: string;
  kind: "paragraph" | "character";
  level?: number;
  isDefault?: boolean;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
  colour?: string;
  size?: number;
  align?: string;
  before?: number;
  after?: number;
  indent?: number;
}

export interface Span {
  start: number;
  end: number;
  bold: boolean | null;
  italic: boolean | null;
  underline: boolean | null;
  strike: boolean | null;
  script: "" | "super" | "sub";
}

export type ListKind = "" | "keep" | "bullet" | "number";

export type Edit =
  | { do: "text"; paragraph: number; base: string; text: string }
  | { do: "format"; paragraph: number; base: string; spans: Span[] }
  | { do: "split"; paragraph: number; base: string; at: number; new: number }
  | { do: "join"; paragraph: number; base: string; following: number; followingBase: string; text: string }
  | { do: "add"; after: number; text: string; style: string; new: number; before?: number }
  | { do: "back"; what: "paragraph" | "row" | "table"; paragraph: number; after: number; before: number; text: string; style: string; besideTable: boolean }
  | { do: "remove"; paragraph: number; base: string }
  | { do: "style"; paragraph: number; style: string; list: ListKind; level: number }
  | { do: "addRow"; paragraph: number; new?: number[] }
  | { do: "removeRow"; paragraph: number }
  | { do: "link"; paragraph: number; base: string; start: number; end: number; address: string };
