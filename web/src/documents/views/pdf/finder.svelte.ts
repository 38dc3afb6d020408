/** Searches a PDF page by page, from the one that is read on. */
import type { loadPdfPage } from "./load-pdf-page";
import type { Match, PdfFile } from "../../../pdf-page";

type Library = Awaited<ReturnType<typeof loadPdfPage>>;
/** More matches help nobody. */
const MOST = 5_000;

export class PdfFinder {
  wanted = $state("");
  isOpen = $state(false);
  isLooking = $state(false);
  matches = $state.raw<readonly Match[]>([]);
  at = $state(-1);
  readonly current = $derived(this.matches[this.at] ?? null);
  readonly #library: Library;
  readonly #file: PdfFile;
  #round = 0;

  constructor(library: Library, file: PdfFile) {
    this.#library = library;
    this.#file = file;
  }

  /** Looks for other words; the first match is the first one behind the page that is read. */
  async look(wanted: string, from: number): Promise<void> {
    const round = ++this.#round;
    Object.assign(this, { wanted, matches: [], at: -1, isLooking: wanted.trim() !== "" });
    if (!this.isLooking) return;
    for (let step = 0; step < this.#file.pageCount && this.matches.length < MOST; step += 1) {
      const page = ((from - 1 + step) % this.#file.pageCount) + 1;
      const found = this.#library.findIn(await this.#file.text(page), wanted, page);
      if (round !== this.#round) return;
      if (found.length > 0) this.#add(found);
    }
    this.isLooking = false;
  }

  again(step: 1 | -1): void {
    if (this.matches.length > 0) this.at = (this.at + step + this.matches.length) % this.matches.length;
  }

  close(): void {
    this.#round += 1;
    Object.assign(this, { isOpen: false, isLooking: false, matches: [], at: -1 });
  }

  #add(found: readonly Match[]): void {
    const now = this.current;
    this.matches = [...this.matches, ...found].sort((one, other) => one.page - other.page || one.start - other.start).slice(0, MOST);
    this.at = this.matches.indexOf(now ?? found[0] ?? this.matches[0] ?? { page: 0, start: 0, end: 0 });
  }
}
