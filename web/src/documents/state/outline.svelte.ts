/** The outline of the open document: its headings or definitions, filtered as one types; ":42" is a line. */
import { Choice } from "../../core/choice.svelte";
import { ranked, type Run, runsOf } from "../../core/fuzzy-match";

export interface Landmark {
  title: string;
  depth: number;
  /** From 1. */
  line: number;
}

/** What stands where in a text, and where the cursor is. */
export interface Overview {
  landmarks: readonly Landmark[];
  /** The landmark around the cursor; -1 above the first. */
  here: number;
  line: number;
  lines: number;
  /** What is counted, where it is not lines. */
  unit?: "Page";
}

export interface OutlineRow {
  title: Run[];
  depth: number;
  line: number;
  isHere: boolean;
}

const NOTHING: Overview = { landmarks: [], here: -1, line: 1, lines: 1 };

/** What links to a text, what it links to in vain, and its tags. */
export interface LinksHere {
  path: string;
  backlinks: readonly { path: string; line: number; text: string }[];
  unresolved: readonly { name: string; line: number; isNote: boolean }[];
  tags: readonly string[];
  truncated: boolean;
}

export class Outline {
  /** Of the shown text; null until they are read. */
  links = $state.raw<LinksHere | null>(null);

  readonly choice = new Choice();
  query = $state("");
  #overview = $state.raw<Overview>(NOTHING);

  readonly wantsLine = $derived(/^\s*:?\d*\s*$/.test(this.query) && this.query.trim() !== "");
  readonly rows: OutlineRow[] = $derived(this.wantsLine ? this.#lineRow() : this.#landmarks());

  get isEmpty(): boolean {
    return this.#overview.landmarks.length === 0;
  }

  get unit(): "Line" | "Page" {
    return this.#overview.unit ?? "Line";
  }

  get lines(): number {
    return this.#overview.lines;
  }

  /** Begins anew, with the landmark where the cursor is chosen. */
  show(overview: Overview, query = ""): void {
    this.#overview = overview;
    this.type(query);
    if (query === "") this.choice.index = Math.max(0, overview.here);
  }

  type(query: string): void {
    this.query = query;
    this.choice.reset();
  }

  /** A line that is there: one beyond the end is the last. */
  #lineRow(): OutlineRow[] {
    const asked = Number(/\d+/.exec(this.query)?.[0] ?? "0");
    if (asked === 0) return [];
    const line = Math.min(asked, this.#overview.lines);
    return [{ title: [{ text: `${this.unit} ${line.toLocaleString("en")}`, hit: false }], depth: 0, line, isHere: line === this.#overview.line }];
  }

  #landmarks(): OutlineRow[] {
    const { landmarks, here } = this.#overview;
    const filtered = this.query.trim() !== "";
    return ranked(landmarks, this.query, ({ title }) => title).map(([landmark, positions]) => ({
      title: runsOf(landmark.title, positions),
      // What is found stands by itself, not under what was left out.
      depth: filtered ? 0 : landmark.depth,
      line: landmark.line,
      isHere: landmark === landmarks[here],
    }));
  }
}
