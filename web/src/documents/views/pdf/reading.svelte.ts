/** A PDF that somebody reads: how large it shows, where they are, and what is drawn. */
import { SvelteMap } from "svelte/reactivity";
import type { DrawnPage, PageSize, PdfFile } from "../../../pdf-page";
import { PdfLayout, type PdfPlace } from "../../state/pdf-layout";
import { stepFrom } from "../zoom";

const MARGIN = 24;
const SMALLEST = 0.1;
const LARGEST = 6;

export class PdfReading {
  readonly file: PdfFile;
  /** The pages on the screen. */
  readonly drawn = new SvelteMap<number, DrawnPage>();
  /** The scale chosen; null fits the width. */
  chosen = $state<number | null>(null);
  room = $state.raw({ width: 0, height: 0 });
  top = $state(0);
  /** Pages that stay although they are out of sight: the selection is in them. */
  held = $state.raw<readonly number[]>([]);
  #sizes = $state.raw<readonly PageSize[]>([]);
  readonly layout = $derived.by(() => new PdfLayout(this.#sizes, this.chosen ?? this.#fit()));
  readonly scale = $derived(this.layout.scale);
  /** The page that is read: the one a third down the view. */
  readonly page = $derived(this.layout.pageAt(this.top + this.room.height / 3));
  readonly showing = $derived([...new Set([...this.layout.showing(this.top, this.room.height), ...this.held])].sort((one, other) => one - other));
  /** Where the upper edge is; it stays there when sizes change. */
  place: PdfPlace = { page: 1, part: 0 };

  constructor(file: PdfFile, first: PageSize) {
    this.file = file;
    this.#sizes = Array.from({ length: file.pageCount }, () => first);
  }

  /** Pages count as large as the first until they are seen. */
  learn(page: number, size: PageSize): void {
    const known = this.#sizes[page - 1];
    if (known && Math.abs(known.width - size.width) + Math.abs(known.height - size.height) < 1) return;
    this.#sizes = this.#sizes.with(page - 1, size);
  }

  scrolled(top: number): void {
    this.top = top;
    this.place = this.layout.placeAt(top);
  }

  zoom(step: 1 | -1): void {
    this.chosen = Math.min(LARGEST, Math.max(SMALLEST, stepFrom(this.scale, step)));
  }

  #fit(): number {
    const width = this.#sizes.reduce((most, size) => Math.max(most, size.width), 1);
    return this.room.width === 0 ? 1 : Math.min(1.5, Math.max(SMALLEST, (this.room.width - 2 * MARGIN) / width));
  }
}
