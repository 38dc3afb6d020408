/** What the editor asks of the page about the library. */

/** A piece of a text that looks the same. */
export interface Run {
  text: string;
  look: "plain" | "italic" | "bold" | "raised";
}

export interface PrintedCitations {
  /** How each citation will print, in the order in which they stand. */
  citations: readonly (readonly Run[])[];
  bibliography: readonly (readonly Run[])[];
  /** Keys that the library does not have. */
  unknown: readonly string[];
}

export interface LibraryRow {
  key: string;
  title: string;
  who: string;
  year: string;
  container: string;
  pdf: string | null;
}

export interface CitingAround {
  /** How citations will print. */
  print: (path: string, head: string, citations: readonly string[], signal: AbortSignal) => Promise<PrintedCitations>;
  /** References for who types a key. */
  find: (path: string, query: string, signal: AbortSignal) => Promise<readonly LibraryRow[]>;
  /** Opens an entry. */
  open: (key: string) => void;
  openPdf: (path: string) => void;
  /** Asks for a work that has this key. */
  add: (key: string) => void;
  /** Hears what a text cites. */
  told: (path: string, count: number, unknown: readonly string[]) => void;
}
