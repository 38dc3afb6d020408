/** A live notebook: its cells, what is done to them as wholes, and which edits of them wait for review. */
import { type LiveText, TYPING } from "../live/live-text";
import type { Hunk, ReviewSource } from "../review";
import { type Cell, type CellKind, joinedCell, MARK, placeMark, seenAt, splitCells } from "./cells-text";

const ID_BYTES = 4;

/** An edit that waits and concerns cells as wholes. */
export interface CellEdit {
  readonly hunks: readonly string[];
  readonly by: Hunk["by"];
  readonly what: "added" | "changed";
}

/** Cells that an edit took away, and that stood before a cell, or at the end. */
export interface GoneCells {
  readonly hunks: readonly string[];
  readonly by: Hunk["by"];
  readonly before: string | null;
  readonly sources: readonly string[];
}

export class NotebookText {
  readonly live: LiveText;
  #cells: readonly Cell[] = [];
  /** The places of the cells by their ids. */
  #places = new Map<string, number>();
  /** What waits for review, until something changes: each cell asks for it. */
  #rotated: readonly Hunk[] | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #observer = (): void => { this.#tell(); };
  readonly #stopReview: () => void;

  constructor(live: LiveText) {
    this.live = live;
    this.#read();
    live.text.observe(this.#observer);
    this.#stopReview = live.onReview(() => { this.#tell(); });
  }

  destroy(): void {
    this.live.text.unobserve(this.#observer);
    this.#stopReview();
  }

  /** Calls back after every change of the text, or of what waits in it. */
  onChange(call: () => void): () => void {
    this.#listeners.add(call);
    return () => this.#listeners.delete(call);
  }

  get cells(): readonly Cell[] {
    return this.#cells;
  }

  cell(id: string): Cell | undefined {
    return this.#cells[this.indexOf(id)];
  }

  indexOf(id: string): number {
    return this.#places.get(id) ?? -1;
  }

  #read(): void {
    this.#cells = splitCells(this.live.content);
    this.#places = new Map(this.#cells.map(({ id }, at) => [id, at]));
    this.#rotated = null;
  }

  #tell(): void {
    this.#read();
    for (const call of [...this.#listeners]) call();
  }

  /** Puts a new cell at a place, and tells its id. */
  add(index: number, kind: CellKind, source = ""): string {
    const id = newId();
    this.#step((text) => { text.insert(this.#placeOf(index), joinedCell(kind, id, source)); });
    return id;
  }

  /** Takes a cell away; the last one is only emptied. */
  remove(id: string): void {
    const cell = this.cell(id);
    if (!cell) return;
    this.#step((text) => {
      if (this.cells.length > 1) this.#delete(text, cell);
      else if (cell.source !== "") text.delete(cell.start, cell.source.length);
    });
  }

  /** Moves a cell one place up or down. Only a mark of its place goes, so that nobody who types in a cell loses it. */
  move(id: string, step: 1 | -1): void {
    const at = this.indexOf(id);
    const cell = this.cells[at];
    const others = this.cells.filter((one) => one !== cell);
    const wanted = at + step;
    if (!cell || wanted < 0 || wanted > others.length) return;
    this.#step((text) => {
      const next = others[wanted];
      const old = cell.place;
      const isHome = others.filter((one) => seenAt(one) < cell.head).length === wanted;
      let place = next ? seenAt(next) : text.length;
      if (old) {
        text.delete(old.from, old.to - old.from);
        if (place >= old.to) place -= old.to - old.from;
      }
      if (!isHome) text.insert(place, placeMark(id));
    });
  }

  setKind(id: string, kind: CellKind): void {
    const cell = this.cell(id);
    if (!cell || cell.kind === kind || cell.start === cell.head) return;
    this.#step((text) => {
      text.delete(cell.head + 1, cell.kind.length);
      text.insert(cell.head + 1, kind);
    });
  }

  /** Makes two cells of one, at a place of its source; the id of the second. */
  split(id: string, at: number): string | null {
    const cell = this.cell(id);
    if (!cell) return null;
    const fresh = newId();
    this.#step((text) => {
      const halves = [{ at: cell.start + at, words: `\n${MARK}${cell.kind} ${fresh}\n` }];
      if (cell.place) halves.push({ at: cell.place.to, words: placeMark(fresh) });
      for (const half of halves.sort((one, other) => other.at - one.at)) text.insert(half.at, half.words);
    });
    return fresh;
  }

  /** Makes one cell of a cell and the next. */
  merge(id: string): void {
    const cell = this.cell(id);
    const next = this.cells[this.indexOf(id) + 1];
    if (!cell || !next) return;
    this.#step((text) => {
      if (next.head === cell.end && !next.place) {
        text.delete(next.head, next.start - next.head);
        return;
      }
      text.insert(cell.start + cell.source.length, `\n${next.source}`);
      const left = splitCells(this.live.content).find((one) => one.id === next.id);
      if (left) this.#delete(text, left);
    });
  }

  /** What waits inside the source of a cell, for its editor. */
  sourceOf(id: string): ReviewSource {
    const place = () => this.cell(id);
    const { live } = this;
    return {
      get review() { return live.review; },
      hunks: () => {
        const cell = place();
        if (!cell || this.editOf(id)) return [];
        const last = cell.start + cell.source.length;
        const mine = this.live.hunks().map((hunk) => inLastLine(hunk, last)).filter(({ from, to, old }) => from >= cell.start && to <= last && !old.includes(MARK));
        return mine.map((hunk) => ({ ...hunk, from: hunk.from - cell.start, to: hunk.to - cell.start }));
      },
      follow: (at) => {
        const found = this.live.follow((place()?.start ?? 0) + at);
        return () => Math.max(0, found() - (place()?.start ?? 0));
      },
      onReview: (call) => this.live.onReview(call),
    };
  }

  /** The edit that waits and brought a cell, or changed its head; null when there is none. */
  editOf(id: string): CellEdit | null {
    const cell = this.cell(id);
    if (!cell) return null;
    const mine = this.#waiting().filter(({ from, to }) => from < cell.start && to > cell.head);
    const [first] = mine;
    if (!first) return null;
    const isAdded = mine.some(({ from, to, old }) => old === "" && from <= cell.head && to >= cell.start);
    return { hunks: mine.map((hunk) => hunk.id), by: first.by, what: isAdded ? "added" : "changed" };
  }

  /** The cells that went and wait for a decision. */
  gone(): GoneCells[] {
    return this.#waiting().filter(({ from, to, old }) => from === to && old.includes(MARK)).map(({ id, by, from, old }) => ({
      hunks: [id],
      by,
      before: this.cells.find((cell) => seenAt(cell) >= from)?.id ?? null,
      sources: splitCells(old).map(({ source }) => source),
    }));
  }

  get editCount(): number {
    return this.live.hunks().length;
  }

  /** Whole cells that came or went may be told from the middle of one head to the middle of the next: here they begin with a head. */
  #waiting(): readonly Hunk[] {
    this.#rotated ??= this.#withHeads(this.live.hunks());
    return this.#rotated;
  }

  #withHeads(hunks: readonly Hunk[]): readonly Hunk[] {
    const text = hunks.length > 0 ? this.live.content : "";
    return hunks.map((hunk) => {
      let { from, to, old } = hunk;
      while (old === "" && from > 0 && text[from] !== MARK && text.slice(from, to).includes(MARK) && text[from - 1] === text[to - 1]) {
        from -= 1;
        to -= 1;
      }
      while (from === to && from > 0 && old.includes(MARK) && !old.startsWith(MARK) && text[from - 1] === old.at(-1)) {
        old = `${old.slice(-1)}${old.slice(0, -1)}`;
        from -= 1;
        to -= 1;
      }
      return { ...hunk, from, to, old };
    });
  }

  /** Where a cell begins that shall be seen at an index. */
  #placeOf(index: number): number {
    const next = this.cells[index];
    return next ? seenAt(next) : this.live.text.length;
  }

  #delete(text: LiveText["text"], { head, end, place }: Cell): void {
    const parts = [{ from: head, to: end }, ...(place ? [place] : [])];
    for (const { from, to } of parts.sort((one, other) => other.from - one.from)) text.delete(from, to - from);
  }

  /** Several changes of cells as one step of the undo. */
  together(act: () => void): void {
    this.#step(() => { act(); });
  }

  /** Makes a cell a text that begins with a heading. */
  setHeading(id: string, level: number): void {
    this.together(() => {
      this.setKind(id, "markdown");
      const cell = this.cell(id);
      if (!cell) return;
      const old = /^#{0,6} */.exec(cell.source)?.[0].length ?? 0;
      this.#step((text) => {
        text.delete(cell.start, old);
        text.insert(cell.start, `${"#".repeat(level)} `);
      });
    });
  }

  /** One step of the undo. */
  #step(change: (text: LiveText["text"]) => void): void {
    this.live.undo.stopCapturing();
    this.live.doc.transact(() => {
      change(this.live.text);
      // The next change of the same step begins with the cells as they are now.
      this.#read();
    }, TYPING);
    this.live.undo.stopCapturing();
  }
}

/** An edit is told in whole lines: of a cell's last line the end belongs to no cell. */
function inLastLine(hunk: Hunk, last: number): Hunk {
  if (hunk.to !== last + 1 || hunk.old.includes(MARK)) return hunk;
  const old = hunk.old.replace(/\n$/, "");
  return hunk.from > last ? { ...hunk, from: last, to: last, old: `\n${old}` } : { ...hunk, to: last, old };
}

function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(ID_BYTES))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
