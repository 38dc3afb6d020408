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

/** A quotation, and whether its source has it. */
export interface CheckedQuotation {
  start: number;
  end: number;
  verdict: "verified" | "not-found" | "no-text";
  /** The verdict in words. */
  title: string;
}

/** A paper that no library has to have. */
export interface FoundPaper {
  title: string;
  who: string;
  year: string;
  doi: string;
}

export interface CitingAround {
  /** How citations will print. */
  print: (path: string, head: string, citations: readonly string[], signal: AbortSignal) => Promise<PrintedCitations>;
  /** References for who types a key. */
  find: (path: string, query: string, signal: AbortSignal) => Promise<readonly LibraryRow[]>;
  /** Papers for who types a key that the library does not have; none where nobody may be asked. */
  papers: (query: string, signal: AbortSignal) => Promise<readonly FoundPaper[]>;
  /** Adds a paper to the library; its key, or null when that failed. */
  addPaper: (doi: string) => Promise<string | null>;
  /** Looks for the quotations of a text in their sources. */
  quotations: (path: string, text: string, signal: AbortSignal) => Promise<readonly CheckedQuotation[]>;
  /** Opens an entry. */
  open: (key: string) => void;
  openPdf: (path: string) => void;
  /** Asks for a work that has this key. */
  add: (key: string) => void;
  /** Hears how many claims of a text have no source. */
  toldClaims: (path: string, count: number) => void;
  /** Hears what a text cites. */
  told: (path: string, count: number, unknown: readonly string[]) => void;
}
